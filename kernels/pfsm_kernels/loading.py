"""Compiled kernels made ready to run, without what Numba needs only to compile others against them.

With a kernel Numba loads the LLVM code that other kernels could be compiled against, and the modules of all functions
that became part of it, its own library of array functions among them. Both take longer than the machine code and the
scores of some hundred pairs. To run, a kernel needs neither. If something is compiled against it after all, its LLVM
code is read then.
"""

import io
import pickle
import sys
from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, _rebuild_env, lookup_environment


def unpickled(content: bytes) -> Any:
    """What a file of a kernel holds."""
    return _Unpickler(io.BytesIO(content)).load()


def rebuilt(target_context: Any, payload: Any) -> Any:
    """A kernel from what its file holds, ready to run."""
    library, function, *_ = payload
    if library[1] != "object":
        return CompileResult._rebuild(target_context, *payload)  # noqa: SLF001 - as Numba's cache calls it
    engine = target_context.codegen()._engine  # noqa: SLF001 - Numba looks for names in the LLVM code
    engine._defined_symbols |= {function.llvm_func_name, function.llvm_cpython_wrapper_name}  # noqa: SLF001
    found = CompileResult._rebuild(_Context(target_context), *payload)  # noqa: SLF001
    return found._replace(target_context=target_context)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == Environment.__module__ and name == _rebuild_env.__name__:
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: Any, name: str) -> Any:
    """The Python objects that a function needs, as Numba makes it; of Numba's own functions without their module.

    Compiled code takes constants from it, and globals only where Numba could not compile them, which no kernel allows.
    """
    if lookup_environment(name) is not None or module in sys.modules or not module.startswith("numba."):
        return _rebuild_env(module, constants, name)
    found = Environment({"__name__": module})
    found.consts[:] = constants
    found.env_name = name
    Environment._memo[name] = found  # noqa: SLF001 - as Numba does
    return found


class _Library(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """A kernel's machine code, with its LLVM code unread."""

    _shared_module: Any  # that code, once it is read

    def __init__(self, codegen: Any, state: Any) -> None:
        name, _, (machine_code, self._llvm_code) = state
        super().__init__(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self._llvm_code)
            self._codegen._engine._load_defined_symbols(self._shared_module)  # noqa: SLF001 - as Numba does
        return self._shared_module


class _Context:
    """Numba's context, but that its code generator makes a `_Library` of what was saved."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def codegen(self) -> "_Codegen":
        return _Codegen(self._context.codegen())


class _Codegen:
    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def unserialize_library(self, state: Any) -> _Library:
        return _Library(self._codegen, state)
