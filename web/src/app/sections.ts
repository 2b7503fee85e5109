/** The parts of the product as the navigation shows them. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Blocks, Inbox, Library, type LucideIcon, MessageSquare, NotebookText, Settings, ShieldUser } from "lucide-react";
import type { ComponentType } from "react";
import { hasRole } from "@/data/users";
import { InboxCount } from "@/features/inbox/InboxCount";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";

/** A page of a section. */
export interface SectionPage {
  href: string;
  label: MessageDescriptor;
  /** The minimum role to see it; without it, everyone. */
  role?: RoleJson;
  /** The second key of its shortcut, after `g`. */
  key?: string;
}

/** A part of the product. */
export interface Section {
  href: string;
  label: MessageDescriptor;
  icon: LucideIcon;
  /** The second key of its shortcut, after `g`. */
  key: string;
  /** Paths that belong to it besides those below its own. */
  also?: RegExp;
  /** The minimum role to have it in the navigation; its pages stay open to everyone, by search and by links. */
  role?: RoleJson;
  /** Its pages when it has several. */
  pages?: readonly SectionPage[];
  /** Whether its pages are in a row above the page, not in a list beside it, which wide tables leave no room for. */
  isRow?: boolean;
  /** Badge of its icon, such as a number. */
  badge?: ComponentType;
  /** Whether it is in the bottom bar of a phone, not behind More. */
  isOnPhone?: boolean;
}

const SECTIONS: readonly Section[] = [
  { href: "/", label: msg`Chat`, icon: MessageSquare, key: "c", also: /^\/(chats?|received)(\/|$)/, isOnPhone: true },
  { href: "/notebooks", label: msg`Notebooks`, icon: NotebookText, key: "n", isOnPhone: true },
  {
    href: "/documents",
    label: msg`Library`,
    icon: Library,
    key: "l",
    isOnPhone: true,
    isRow: true,
    pages: [
      { href: "/documents", label: msg`Documents`, key: "d" },
      { href: "/sources", label: msg`Connectors`, key: "o" },
      { href: "/search", label: msg`Search`, key: "s" },
    ],
  },
  { href: "/inbox", label: msg`Inbox`, icon: Inbox, key: "i", badge: InboxCount, isOnPhone: true },
];

const SECTIONS_AT_THE_END: readonly Section[] = [
  {
    href: "/assistants",
    label: msg`Build`,
    icon: Blocks,
    key: "b",
    role: "ROLE_SUPERADMIN",
    isRow: true,
    pages: [
      { href: "/assistants", label: msg`Assistants`, key: "a" },
      { href: "/knowledge", label: msg`Knowledge`, key: "k" },
      { href: "/runs", label: msg`Runs`, key: "r" },
      { href: "/evaluations", label: msg`Evaluations`, key: "e" },
    ],
  },
  {
    href: "/admin",
    label: msg`Administration`,
    icon: ShieldUser,
    key: "m",
    pages: [
      { href: "/admin/people", label: msg`People`, role: "ROLE_ADMIN" },
      { href: "/admin/invitations", label: msg`Invitations`, role: "ROLE_ADMIN" },
      { href: "/admin/groups", label: msg`Groups`, role: "ROLE_ADMIN" },
      { href: "/admin/service-accounts", label: msg`Service accounts`, role: "ROLE_ADMIN" },
      { href: "/admin/sign-on", label: msg`Single sign-on`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/models", label: msg`Models`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/usage", label: msg`Usage`, role: "ROLE_ADMIN" },
      { href: "/admin/quotas", label: msg`Quotas`, role: "ROLE_ADMIN" },
      { href: "/admin/webhooks", label: msg`Webhooks`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/notebooks", label: msg`Notebooks`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/feedback", label: msg`Feedback`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/audit", label: msg`Audit log`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/retention", label: msg`Retention`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/privacy", label: msg`Privacy`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/health", label: msg`Health`, role: "ROLE_ADMIN" },
      { href: "/admin/secret-keys", label: msg`Encryption keys`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/dead-letters", label: msg`Dead letters`, role: "ROLE_SUPERADMIN" },
    ],
  },
  {
    href: "/settings",
    label: msg`Settings`,
    icon: Settings,
    key: ",",
    pages: [
      { href: "/settings/account", label: msg`Account` },
      { href: "/settings/preferences", label: msg`Preferences` },
      { href: "/settings/memory", label: msg`Memory` },
      { href: "/settings/devices", label: msg`Devices` },
      { href: "/settings/api-keys", label: msg`API keys` },
      { href: "/settings/webhooks", label: msg`Webhooks` },
      { href: "/settings/connect", label: msg`Connect a tool` },
      { href: "/settings/shares", label: msg`Shared conversations` },
      { href: "/settings/import", label: msg`Import` },
      { href: "/settings/about", label: msg`About` },
    ],
  },
];

/** The parts of the product that a user may open. */
export interface Sections {
  /** At the start of the navigation, for daily work. */
  daily: readonly Section[];
  /** At its end. */
  atTheEnd: readonly Section[];
  /** All that the user may open, those outside of the navigation too. */
  all: readonly Section[];
}

/** The sections and pages that a user may open. */
export function sectionsOf(user: UserJson): Sections {
  const mayOpen = ({ role }: { role?: RoleJson }) => !role || hasRole(user, role);
  const open = SECTIONS_AT_THE_END.map((section) => ({ ...section, pages: section.pages?.filter(mayOpen) ?? [] })).filter(({ pages }) => pages.length > 0);
  return { daily: SECTIONS, atTheEnd: open.filter(mayOpen), all: [...SECTIONS, ...open] };
}

/** Whether a URL belongs to a section. */
export function isIn({ href, also, pages = [] }: Section, path: string): boolean {
  return isBelow(href, path) || pages.some((page) => isBelow(page.href, path)) || (also?.test(path) ?? false);
}

/** Whether a URL is that of a page, or of one below it. */
export function isBelow(href: string, path: string): boolean {
  return path === href || (href !== "/" && path.startsWith(`${href}/`));
}
