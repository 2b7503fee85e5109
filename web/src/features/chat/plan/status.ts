/** Labels of todo statuses. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { TodoStatusJson } from "@/gen/echomind/public/v1/todo_pb";
import { type ByMember, ofMember } from "@/ui/members";

const STATUSES: ByMember<TodoStatusJson, MessageDescriptor> = {
  TODO_STATUS_PENDING: msg`Pending`,
  TODO_STATUS_IN_PROGRESS: msg`In progress`,
  TODO_STATUS_COMPLETED: msg`Done`,
  TODO_STATUS_CANCELLED: msg`Cancelled`,
  TODO_STATUS_FAILED: msg`Failed`,
};

/** Statuses of a todo. */
export const TODO_STATUSES = Object.keys(STATUSES) as (keyof typeof STATUSES)[];

/** Label of a todo's status. */
export function todoLabel(status: TodoStatusJson | undefined): string {
  return i18n._(ofMember(STATUSES, status) ?? STATUSES.TODO_STATUS_PENDING);
}
