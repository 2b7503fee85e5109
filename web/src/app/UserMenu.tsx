import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowRight, KeyRound, LogOut } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSignOut } from "@/data/auth";
import { languageWord, themeWord, usePreferences } from "@/data/preferences";
import { displayName, initials, useCurrentUser } from "@/data/users";
import { PasswordDialog } from "@/features/users/PasswordDialog";
import { Menu, MenuChoice, MenuHeader, MenuItem, MenuSeparator } from "@/ui/Menu";
import { LOCALES, useLocale, type Locale } from "@/ui/locale";
import { THEMES, useTheme } from "@/ui/theme";
import { showFailure } from "@/ui/toasts";
import type { SectionPage } from "./sections";
import styles from "./UserMenu.module.css";

/** The browser's preferred language. */
const BROWSER = "browser";
const LANGUAGES = (Object.keys(LOCALES) as Locale[]).map((value) => ({ value, label: LOCALES[value] }));

/** The signed-in user, the theme, pages that the navigation does not have, and sign-out. */
export function UserMenu({ outside }: { outside: readonly SectionPage[] }) {
  const { t } = useLingui();
  const user = useCurrentUser();
  const [locale] = useLocale();
  const theme = useTheme();
  const { change } = usePreferences();
  const [changesPassword, setChangesPassword] = useState(false);
  const name = displayName(user);
  const signOut = useSignOut();
  const [, navigate] = useLocation();
  return (
    <>
      <Menu
        side="right"
        align="end"
        trigger={
          <button type="button" className={styles.user} data-initials={initials(user)} aria-label={t`Account of ${name}`} title={name} />
        }
      >
        <MenuHeader>
          <span className={styles.name}>{name}</span>
          {user.email && user.email !== name && <span className={styles.email}>{user.email}</span>}
        </MenuHeader>
        <MenuSeparator />
        <MenuChoice
          label={t`Theme`}
          value={theme}
          options={THEMES.map(({ value, label }) => ({ value, label: t(label) }))}
          onChange={(value) => void change({ theme: themeWord(value) }).catch(showFailure)}
        />
        <MenuChoice
          label={t`Language`}
          value={locale ?? BROWSER}
          options={[{ value: BROWSER, label: t`As the browser` }, ...LANGUAGES]}
          onChange={(value) => void change({ language: languageWord(value === BROWSER ? undefined : value) }).catch(showFailure)}
        />
        <MenuSeparator />
        {outside.map(({ href, label }) => (
          <MenuItem key={href} icon={<ArrowRight size={15} />} onSelect={() => navigate(href)}>
            {t(label)}
          </MenuItem>
        ))}
        <MenuItem icon={<KeyRound size={15} />} onSelect={() => setChangesPassword(true)}>
          <Trans>Change password</Trans>
        </MenuItem>
        <MenuItem icon={<LogOut size={15} />} onSelect={() => signOut.mutate()}>
          <Trans>Sign out</Trans>
        </MenuItem>
      </Menu>
      {changesPassword && <PasswordDialog onClose={() => setChangesPassword(false)} />}
    </>
  );
}
