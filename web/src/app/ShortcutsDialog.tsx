import { Trans, useLingui } from "@lingui/react/macro";
import { usePreferences } from "@/data/preferences";
import { Dialog } from "@/ui/Dialog";
import { CheckField } from "@/ui/Field";
import { useActiveShortcuts, useCtrl, useSingleKeys } from "@/ui/shortcuts";
import { showFailure } from "@/ui/toasts";
import styles from "./ShortcutsDialog.module.css";

/** The shortcuts of the current page, and the global ones. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const { ctrl } = useCtrl();
  const shortcuts = useActiveShortcuts();
  const [hasSingleKeys] = useSingleKeys();
  const { change } = usePreferences();
  return (
    <Dialog title={t`Keyboard shortcuts`} onClose={onClose}>
      <table className={styles.table}>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">
              <Trans>Action</Trans>
            </th>
            <th scope="col">
              <Trans>Keys</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {shortcuts.map(({ keys, label }) => (
            <tr key={`${keys} ${label}`}>
              <td>{label}</td>
              <td>
                {caps(keys, ctrl, t({ message: "Shift", context: "key" })).map((cap) => (
                  <kbd key={cap}>{cap}</kbd>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <CheckField label={t`Use shortcuts without ${ctrl}`} checked={hasSingleKeys} onChange={(singleKeyShortcuts) => void change({ singleKeyShortcuts }).catch(showFailure)} />
    </Dialog>
  );
}

/** The keys as they are printed on a keyboard. */
function caps(keys: string, ctrl: string, shift: string): readonly string[] {
  const names: Record<string, string> = { Ctrl: ctrl, Shift: shift, ArrowUp: "↑", ArrowDown: "↓" };
  return keys.split(/[+ ]/).map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}
