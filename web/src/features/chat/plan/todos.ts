/** What the chat pages read and change of plans. */
import { queryOptions } from "@tanstack/react-query";
import { request } from "@/api/http";
import { readAll } from "@/api/pages";
import type { TodoJson, TodoStatusJson } from "@/gen/echomind/public/v1/todo_pb";

const TODOS = "/api/v1/todos";

/** The fields of a todo that people write. */
export type TodoFields = Pick<TodoJson, "title" | "description" | "status" | "dependencies">;

const STATUSES = {
  TODO_STATUS_PENDING: "Not begun",
  TODO_STATUS_IN_PROGRESS: "Being worked on",
  TODO_STATUS_COMPLETED: "Done",
  TODO_STATUS_CANCELLED: "Not needed any more",
  TODO_STATUS_FAILED: "Failed",
};

/** How far a todo may be. */
export const TODO_STATUSES = Object.keys(STATUSES) as (keyof typeof STATUSES)[];

/** How far a todo is, in words. */
export function todoLabel(status: TodoStatusJson | undefined): string {
  return STATUSES[!status || status === "TODO_STATUS_UNSPECIFIED" ? "TODO_STATUS_PENDING" : status];
}

/** The plans of a session, by run and then in order. */
export const todosQuery = (session: string) =>
  queryOptions({
    queryKey: ["todos", session],
    queryFn: ({ signal }) => readAll<TodoJson>(`/api/v1/chat-sessions/${session}/todos`, "todos", {}, signal),
  });

/** One todo with all of its words, which events cut short. */
export const todoQuery = (id: string) =>
  queryOptions({
    queryKey: ["todo", id],
    queryFn: ({ signal }) => request<TodoJson>("GET", `${TODOS}/${id}`, { signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** Adds a todo of the reader's at the end of a session's plan. */
export function createTodo(session: string, todo: TodoFields): Promise<TodoJson> {
  return request("POST", `/api/v1/chat-sessions/${session}/todos`, { body: todo });
}

/** Changes the fields that are given. */
export function updateTodo(id: string, changes: TodoFields): Promise<TodoJson> {
  return request("PATCH", `${TODOS}/${id}`, { body: changes });
}

export function deleteTodo(id: string): Promise<unknown> {
  return request("DELETE", `${TODOS}/${id}`);
}
