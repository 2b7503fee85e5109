import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import { SelectField, TextField } from "@/ui/Field";
import { ROLES } from "./roles";

/** What is filled in about a person. */
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
  const text = (name: keyof UserValues) => ({
    maxLength: 255,
    value: values[name],
    onChange: (event: { target: { value: string } }) => onChange({ ...values, [name]: event.target.value }),
  });
  return (
    <>
      <TextField label="User name" required {...text("userName")} />
      <TextField label="Email" type="email" required {...text("email")} />
      <TextField label="First name (optional)" {...text("firstName")} />
      <TextField label="Last name (optional)" {...text("lastName")} />
      <SelectField
        label="Role"
        value={values.role}
        options={ROLES}
        hint="Admins manage the documents of their groups. Superadmins manage everything."
        onChange={(role) => onChange({ ...values, role: role as RoleJson })}
      />
      <TextField label="Groups (optional)" hint="Separate several with commas." {...text("groups")} maxLength={10_000} />
    </>
  );
}

/** The account as the API takes it. */
export function userOf({ role, groups, ...texts }: UserValues) {
  const names = groups.split(",").map((name) => name.trim());
  const trimmed = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value.trim()]));
  return { ...trimmed, roles: [role], groups: [...new Set(names.filter(Boolean))] };
}
