import { useLingui } from "@lingui/react/macro";
import type { RetentionDataJson } from "@/gen/echomind/public/v1/retention_rule_pb";

/** What a rule is for, in the reader's language: its name, and from when on its days count. */
export function useRetentionName(data: RetentionDataJson | undefined): { name: string; detail: string } {
  const { t } = useLingui();
  switch (data) {
    case "RETENTION_DATA_CHAT_SESSIONS":
      return { name: t`Conversations`, detail: t`from their last message on` };
    case "RETENTION_DATA_REMOVED_CHAT_SESSIONS":
      return { name: t`Deleted conversations`, detail: t`from their deletion on` };
    case "RETENTION_DATA_UNLISTED_CHAT_SESSIONS":
      return { name: t`Conversations that programs do not store`, detail: t`from their last message on` };
    case "RETENTION_DATA_RUN_STEPS":
      return { name: t`Steps and tool calls of runs`, detail: t`from the end of the run on` };
    case "RETENTION_DATA_RUN_EVENTS":
      return { name: t`Events of runs`, detail: t`from the end of the run on` };
    case "RETENTION_DATA_AUDIT_ENTRIES":
      return { name: t`Entries of the audit log`, detail: "" };
    case "RETENTION_DATA_WEBHOOK_DELIVERIES":
      return { name: t`Deliveries to webhooks`, detail: "" };
    default:
      return { name: t`Other data`, detail: "" };
  }
}
