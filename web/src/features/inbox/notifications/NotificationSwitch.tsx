import { Trans } from "@lingui/react/macro";
import { Bell, BellOff } from "lucide-react";
import { Button } from "@/ui/Button";
import { CAN_NOTIFY, useNotifications } from "./notifications";

/** Switches notifications of this browser on and off. */
export function NotificationSwitch() {
  const [isOn, choose] = useNotifications();
  if (!CAN_NOTIFY) return null;
  return (
    <Button size="sm" aria-pressed={isOn} onClick={() => void choose(!isOn)}>
      {isOn ? <Bell size={15} aria-hidden /> : <BellOff size={15} aria-hidden />}
      <Trans>Notify me in this browser</Trans>
    </Button>
  );
}
