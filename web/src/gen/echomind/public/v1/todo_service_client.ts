// Generated from echomind/public/v1/todo_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { TodoJson } from "./todo_pb.js";
import type { CreateTodoRequestJson, DeleteTodoRequestJson, GetTodoRequestJson, ListTodosRequestJson, ListTodosResponseJson, UpdateTodoRequestJson } from "./todo_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists the todos of a session, by run and position. Errors: NOT_FOUND. */
export const listTodos = /* @__PURE__ */ call<ListTodosRequestJson, ListTodosResponseJson, "chatSessionId">("GET", "/api/v1/chat-sessions/{chatSessionId}/todos");

/** Reads one todo. Errors: NOT_FOUND. */
export const getTodo = /* @__PURE__ */ call<GetTodoRequestJson, TodoJson, "id">("GET", "/api/v1/todos/{id}");

/**
 * Adds a todo at the end of a session's plan. Errors: NOT_FOUND, VALIDATION_FAILED (a dependency that is not in this
 * plan).
 */
export const createTodo = /* @__PURE__ */ call<CreateTodoRequestJson, TodoJson, "chatSessionId">("POST", "/api/v1/chat-sessions/{chatSessionId}/todos", "todo");

/** Updates a todo. Errors: NOT_FOUND, VALIDATION_FAILED (dependencies that form a cycle, or are not completed yet). */
export const updateTodo = /* @__PURE__ */ call<Omit<UpdateTodoRequestJson, "updateMask">, TodoJson, "id">("PATCH", "/api/v1/todos/{id}", "todo");

/** Deletes a todo, and removes it from the dependencies of others. Errors: NOT_FOUND. */
export const deleteTodo = /* @__PURE__ */ call<DeleteTodoRequestJson, EmptyJson, "id">("DELETE", "/api/v1/todos/{id}");
