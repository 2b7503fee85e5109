import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./Button";
import { Menu } from "./Menu";

interface ActionsMenuProps {
  /** What the actions are for, in words. */
  label: string;
  /** Of the dots, in pixels. */
  size?: number;
  className?: string | undefined;
  children: ReactNode;
}

/** A menu of what can be done with a thing, behind three dots. */
export function ActionsMenu({ label, size = 16, className, children }: ActionsMenuProps) {
  return (
    <Menu
      trigger={
        <IconButton label={label} className={className}>
          <Ellipsis size={size} />
        </IconButton>
      }
    >
      {children}
    </Menu>
  );
}
