// Calls of the server: the token that it may ask for, and problems as errors.

import { byId } from "./elements.js";

const KEY = "pfsm-token";

export async function call(method, path, body, accept = "application/json") {
  const headers = { Accept: accept };
  const token = sessionStorage.getItem(KEY);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Error("The server does not answer.");
  }
  if (response.ok) return response;
  if (response.status === 401) byId("token-form").hidden = false;
  const problem = await response.json().catch(() => ({ detail: response.statusText }));
  throw new Error(problem.field ? `${problem.detail} (${problem.field})` : problem.detail);
}

export const get = async (path) => (await call("GET", path)).json();
export const post = async (path, body) => (await call("POST", path, body)).json();

export function onToken(then) {
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, byId("token").value);
    byId("token").value = "";
    byId("token-form").hidden = true;
    then();
  });
}
