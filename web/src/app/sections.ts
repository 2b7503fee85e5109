/** The parts of the product as the navigation shows them. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Activity, Bot, FileText, Inbox, Library, Lightbulb, type LucideIcon, MessageSquare, NotebookText, Search, Settings, ShieldUser } from "lucide-react";
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
  /** Its pages when it has several. */
  pages?: readonly SectionPage[];
  /** Badge of its icon, such as a number. */
  badge?: ComponentType;
  /** Whether it is in the bottom bar of a phone, not behind More. */
  isOnPhone?: boolean;
}

const SECTIONS: readonly Section[] = [
  { href: "/", label: msg`Chat`, icon: MessageSquare, key: "c", also: /^\/chats?(\/|$)/, isOnPhone: true },
  { href: "/inbox", label: msg`Inbox`, icon: Inbox, key: "i", badge: InboxCount, isOnPhone: true },
  { href: "/notebooks", label: msg`Notebooks`, icon: NotebookText, key: "n" },
  { href: "/search", label: msg`Search`, icon: Search, key: "s", isOnPhone: true },
  { href: "/documents", label: msg`Documents`, icon: FileText, key: "d", isOnPhone: true },
  { href: "/knowledge", label: msg`Knowledge`, icon: Lightbulb, key: "k" },
  { href: "/sources", label: msg`Sources`, icon: Library, key: "o" },
  { href: "/assistants", label: msg`Assistants`, icon: Bot, key: "a" },
  { href: "/runs", label: msg`Runs`, icon: Activity, key: "r" },
];

const SECTIONS_AT_THE_END: readonly Section[] = [
  {
    href: "/admin",
    label: msg`Administration`,
    icon: ShieldUser,
    key: "m",
    pages: [
      { href: "/admin/people", label: msg`People`, role: "ROLE_ADMIN" },
      { href: "/admin/invitations", label: msg`Invitations`, role: "ROLE_ADMIN" },
      { href: "/admin/groups", label: msg`Groups`, role: "ROLE_ADMIN" },
      { href: "/admin/sign-on", label: msg`Single sign-on`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/models", label: msg`Models`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/usage", label: msg`Usage`, role: "ROLE_ADMIN" },
      { href: "/admin/notebooks", label: msg`Notebooks`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/memory", label: msg`Memory`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/feedback", label: msg`Feedback`, role: "ROLE_SUPERADMIN" },
      { href: "/admin/health", label: msg`Health`, role: "ROLE_ADMIN" },
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
      { href: "/settings/shares", label: msg`Shared links` },
      { href: "/settings/about", label: msg`About` },
    ],
  },
];

/** The sections and pages that a user may open: for daily work, and at the end of the navigation. */
export function sectionsOf(user: UserJson): { daily: readonly Section[]; atTheEnd: readonly Section[] } {
  return { daily: SECTIONS, atTheEnd: SECTIONS_AT_THE_END.map((section) => forUser(section, user)).filter(hasPages) };
}

function forUser(section: Section, user: UserJson): Section {
  return section.pages ? { ...section, pages: section.pages.filter(({ role }) => !role || hasRole(user, role)) } : section;
}

function hasPages({ pages }: Section): boolean {
  return pages === undefined || pages.length > 0;
}

/** Whether a URL belongs to a section. */
export function isIn({ href, also }: Section, path: string): boolean {
  return path === href || (href !== "/" && path.startsWith(`${href}/`)) || (also?.test(path) ?? false);
}
