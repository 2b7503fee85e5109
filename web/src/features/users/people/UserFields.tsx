import { useLingui } from "@lingui/react/macro";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import { TextField } from "@/ui/Field";
import { RightsFields } from "./RightsFields";

/** Form fields of a person. */
export interface UserValues {
  userName: string;
  email: string;
  firstName: string;
  lastName: string;
  /** Names with commas between them. */
  groups: string;
  role: RoleJson;
}

interface UserFieldsProps {
  values: UserValues;
  onChange: (values: UserValues) => void;
}

/** The fields of an account. */
export function UserFields({ values, onChange }: UserFieldsProps) {
  const { t } = useLingui();
  const text = (name: keyof UserValues) => ({
    maxLength: 255,
    value: values[name],
    onChange: (event: { target: { value: string } }) => onChange({ ...values, [name]: event.target.value }),
  });
  return (
    <>
      <TextField label={t`User name`} required {...text("userName")} />
      <TextField label={t`E-mail address (optional)`} type="email" {...text("email")} />
      <TextField label={t`First name (optional)`} {...text("firstName")} />
      <TextField label={t`Last name (optional)`} {...text("lastName")} />
      <RightsFields values={values} onChange={(rights) => onChange({ ...values, ...rights })} />
    </>
  );
}

/** The account for the API. */
export function userOf({ role, groups, ...texts }: UserValues) {
  const trimmed = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value.trim()]));
  return { ...trimmed, roles: [role], groups: groupNames(groups) };
}

/** Names between commas, each once. */
export function groupNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  return [...new Set(names.filter(Boolean))];
}
