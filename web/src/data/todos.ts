/** Queries and mutations of todos, in the plans of runs and of people. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { createTodo, deleteTodo, getTodo, listTodos, updateTodo } from "@/gen/echomind/public/v1/todo_service_client";
import { sessionKeys } from "./sessions";

/** The fields of a todo that people write. */
export type TodoFields = Pick<TodoJson, "title" | "description" | "status" | "dependencies">;

/** Query keys of todos. */
export const todoKeys = {
  ofSession: (session: string) => [...sessionKeys.whole(session), "todos"] as const,
  detail: (id: string) => ["todos", id] as const,
};

/** The plans of a session, by run and then in order. */
export const todosQuery = (session: string) =>
  queryOptions({
    queryKey: todoKeys.ofSession(session),
    queryFn: ({ signal }) => readAll(listTodos, "todos", { chatSessionId: session }, signal),
  });

/** One todo with all of its words, which events cut short. */
export const todoQuery = (id: string) =>
  queryOptions({
    queryKey: todoKeys.detail(id),
    queryFn: ({ signal }) => getTodo({ id }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** Adds a todo of the reader's at the end of a session's plan. */
export function useCreateTodo(session: string) {
  return useTodoChange(session, (todo: TodoFields) => createTodo({ chatSessionId: session, todo }));
}

/** Changes the fields that are given. */
export function useUpdateTodo(session: string) {
  return useTodoChange(session, ({ id, ...todo }: TodoFields & { id: string }) => updateTodo({ id, todo }));
}

/** Removes a todo. */
export function useDeleteTodo(session: string) {
  return useTodoChange(session, (id: string) => deleteTodo({ id }));
}

/** A change of a session's plans, which are read again, also after a failure. */
function useTodoChange<Values, Result>(session: string, change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: todoKeys.ofSession(session) }),
  });
}
