import { Trans } from "@lingui/react/macro";
import { Bell, BellOff } from "lucide-react";
import { usePreferences } from "@/data/preferences";
import { Button } from "@/ui/Button";
import { CAN_NOTIFY, isNotifying, useNotifications } from "@/ui/notifications";
import { showFailure } from "@/ui/toasts";

/** Switches notifications on and off; each browser asks once for permission. */
export function NotificationSwitch() {
  const [isOn, choose] = useNotifications();
  const { change } = usePreferences();
  const toggle = async () => {
    await choose(!isOn);
    await change({ notifications: isNotifying() });
  };
  if (!CAN_NOTIFY) return null;
  return (
    <Button size="sm" aria-pressed={isOn} onClick={() => void toggle().catch(showFailure)}>
      {isOn ? <Bell size={15} aria-hidden /> : <BellOff size={15} aria-hidden />}
      <Trans>Notify me in this browser</Trans>
    </Button>
  );
}
