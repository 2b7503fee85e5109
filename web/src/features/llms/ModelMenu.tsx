import { Trans, useLingui } from "@lingui/react/macro";
import { CheckCheck, Pencil, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { MenuItem, MenuSeparator } from "@/ui/Menu";

interface ModelMenuProps {
  name: string;
  isTesting: boolean;
  onTest: () => void;
  /** Absent for a model that cannot be changed. */
  onEdit?: () => void;
  /** Absent for a model that cannot be removed now. */
  onRemove?: () => void;
  /** Further items behind the test. */
  children?: ReactNode;
}

/** What can be done with a model of a list. */
export function ModelMenu({ name, isTesting, onTest, onEdit, onRemove, children }: ModelMenuProps) {
  const { t } = useLingui();
  return (
    <ActionsMenu label={t`Actions for ${name}`}>
      <MenuItem icon={<CheckCheck size={15} />} isDisabled={isTesting} onSelect={onTest}>
        <Trans>Test</Trans>
      </MenuItem>
      {children}
      {onEdit && (
        <MenuItem icon={<Pencil size={15} />} onSelect={onEdit}>
          <Trans>Edit</Trans>
        </MenuItem>
      )}
      {onRemove && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={onRemove}>
            <Trans>Remove</Trans>
          </MenuItem>
        </>
      )}
    </ActionsMenu>
  );
}
