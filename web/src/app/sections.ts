/** The parts of the product that have several pages, and who sees which. */
import { hasRole } from "@/data/users";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";

/** A page of a section. */
export interface SectionPage {
  href: string;
  label: string;
}

/** The pages about the reader. */
export const SETTINGS: readonly SectionPage[] = [
  { href: "/settings/account", label: "Account" },
  { href: "/settings/api-keys", label: "API keys" },
];

const PEOPLE: SectionPage = { href: "/admin/people", label: "People" };
const MODELS: SectionPage = { href: "/admin/models", label: "Models" };

/** The pages of the administration that a person may use; none for most. */
export function administrationOf(user: UserJson): readonly SectionPage[] {
  if (hasRole(user, "ROLE_SUPERADMIN")) return [PEOPLE, MODELS];
  return hasRole(user, "ROLE_ADMIN") ? [PEOPLE] : [];
}
