import { Trans } from "@lingui/react/macro";
import type { WebhookJson } from "@/gen/echomind/public/v1/webhook_pb";
import { Badge } from "@/ui/Badge";

/** Whether a webhook is disabled or fails; renders nothing for one that works. */
export function WebhookState({ webhook: { isEnabled = false, failingSince } }: { webhook: WebhookJson }) {
  if (!isEnabled) {
    return (
      <Badge tone="danger">
        <Trans>Disabled</Trans>
      </Badge>
    );
  }
  if (!failingSince) return null;
  return (
    <Badge tone="warn">
      <Trans>Failing</Trans>
    </Badge>
  );
}
