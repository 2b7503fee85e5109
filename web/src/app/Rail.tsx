import { useLingui } from "@lingui/react/macro";
import { Ellipsis, Search } from "lucide-react";
import { Link, useLocation } from "wouter";
import { Logo } from "@/ui/Logo";
import { Menu, MenuItem } from "@/ui/Menu";
import { useCtrl } from "@/ui/shortcuts";
import { openPalette } from "./palette";
import { preloadPage } from "./routes";
import { isIn, type Section, type Sections } from "./sections";
import { UserMenu } from "./UserMenu";
import styles from "./Rail.module.css";

interface RailProps {
  sections: Sections;
}

/** The main navigation: at the left, on a phone at the bottom. */
export function Rail({ sections: { daily, atTheEnd, all } }: RailProps) {
  const { t } = useLingui();
  const { ctrl } = useCtrl();
  const [, navigate] = useLocation();
  const inNavigation = [...daily, ...atTheEnd];
  const behindMore = inNavigation.filter(({ isOnPhone }) => !isOnPhone);
  const outside = all.filter((section) => !inNavigation.includes(section)).flatMap(({ pages = [] }) => pages);
  return (
    <nav className={styles.rail} aria-label={t`Main`}>
      <Link href="/" className={styles.logo} aria-label={t`EchoMind, start page`}>
        <Logo size={30} />
      </Link>
      <button type="button" className={styles.find} title={t`Find or do anything (${ctrl}+K)`} onClick={openPalette}>
        <Search size={18} aria-hidden />
        <span className="visually-hidden">{t`Find or do anything`}</span>
      </button>
      {daily.map((section) => (
        <RailLink key={section.href} section={section} />
      ))}
      <div className={styles.space} />
      {atTheEnd.map((section) => (
        <RailLink key={section.href} section={section} />
      ))}
      <div className={styles.more}>
        <Menu
          side="top"
          trigger={
            <button type="button" className={styles.link}>
              <Ellipsis size={20} aria-hidden />
              <span>{t`More`}</span>
            </button>
          }
        >
          <MenuItem icon={<Search size={16} />} onSelect={openPalette}>
            {t`Find or do anything`}
          </MenuItem>
          {behindMore.map(({ href, label, icon: Icon }) => (
            <MenuItem key={href} icon={<Icon size={16} />} onSelect={() => navigate(href)}>
              {t(label)}
            </MenuItem>
          ))}
        </Menu>
      </div>
      <UserMenu outside={outside} />
    </nav>
  );
}

function RailLink({ section }: { section: Section }) {
  const { t } = useLingui();
  const [path] = useLocation();
  const { href, pages, label, icon: Icon, badge: Badge, isOnPhone } = section;
  const preload = () => preloadPage(pages?.[0]?.href ?? href);
  return (
    <Link
      href={href}
      className={styles.link}
      onPointerEnter={preload}
      onFocus={preload}
      data-phone={isOnPhone || undefined} aria-current={isIn(section, path) ? "page" : undefined}>
      <span className={styles.icon}>
        <Icon size={20} aria-hidden />
        {Badge && <Badge />}
      </span>
      <span>{t(label)}</span>
    </Link>
  );
}
