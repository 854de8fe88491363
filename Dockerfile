# Scores offline, as a user without privileges:
#   make wheel && docker build -t pfsm .
#   docker run --rm --network none -v "$PWD:/data:ro" pfsm score ref.txt -i hyp.txt
FROM python:3.11-slim AS build
COPY dist/*.whl /wheels/
RUN python -m venv /opt/pfsm && /opt/pfsm/bin/pip install --no-cache-dir /wheels/*.whl

FROM python:3.11-slim
COPY --from=build /opt/pfsm /opt/pfsm
RUN useradd --create-home --uid 10001 pfsm && mkdir /data && mkdir -m 755 /opt/kernels && chown pfsm /opt/kernels
ENV PATH=/opt/pfsm/bin:$PATH NUMBA_CACHE_DIR=/opt/kernels NUMBA_CPU_NAME=generic PYTHONDONTWRITEBYTECODE=1
USER pfsm
# Kernels are compiled here, for any processor of the architecture, and not when a container starts.
RUN pfsm warmup
WORKDIR /data
ENTRYPOINT ["pfsm"]
CMD ["--help"]
