import { KeyRound, LogOut } from "lucide-react";
import { useState } from "react";
import { useSignOut } from "@/data/auth";
import { displayName, useCurrentUser } from "@/data/users";
import { PasswordDialog } from "@/features/users/PasswordDialog";
import { Menu, MenuChoice, MenuHeader, MenuItem, MenuSeparator } from "@/ui/Menu";
import { THEMES, useTheme } from "@/ui/theme";
import styles from "./UserMenu.module.css";

/** Who is signed in, the theme, and the way out. */
export function UserMenu() {
  const user = useCurrentUser();
  const [theme, setTheme] = useTheme();
  const [changesPassword, setChangesPassword] = useState(false);
  const name = displayName(user);
  const signOut = useSignOut();
  return (
    <>
      <Menu
        side="right"
        align="end"
        trigger={
          <button type="button" className={styles.user} aria-label={`Account of ${name}`} title={name}>
            {initials(name)}
          </button>
        }
      >
        <MenuHeader>
          <span className={styles.name}>{name}</span>
          {user.email && user.email !== name && <span className={styles.email}>{user.email}</span>}
        </MenuHeader>
        <MenuSeparator />
        <MenuChoice
          label="Theme"
          value={theme}
          options={THEMES}
          onChange={setTheme}
        />
        <MenuSeparator />
        <MenuItem icon={<KeyRound size={15} />} onSelect={() => setChangesPassword(true)}>
          Change password
        </MenuItem>
        <MenuItem icon={<LogOut size={15} />} onSelect={() => signOut.mutate()}>
          Sign out
        </MenuItem>
      </Menu>
      {changesPassword && <PasswordDialog onClose={() => setChangesPassword(false)} />}
    </>
  );
}

function initials(name: string): string {
  const words = name.split(/[\s@._-]+/).filter(Boolean);
  return words.slice(0, 2).map((word) => word.charAt(0).toUpperCase()).join("") || "?";
}
