import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { displayName, useUpdateUser } from "@/data/users";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { FormDialog } from "@/ui/FormDialog";
import { highestRole } from "../roles";
import { UserFields, userOf } from "./UserFields";

/** Changes an account: its names, role and groups. */
export function EditUserDialog({ user, onClose }: { user: UserJson & { id: number }; onClose: () => void }) {
  const { t } = useLingui();
  const { id, userName = "", email = "", firstName = "", lastName = "", groups = [] } = user;
  const update = useUpdateUser();
  const [values, setValues] = useState({ userName, email, firstName, lastName, groups: groups.join(", "), role: highestRole(user) });
  return (
    <FormDialog
      title={t`Edit ${displayName(user)}`}
      action={t`Save`}
      onSubmit={() => update.mutateAsync({ id, ...userOf(values) })}
      onClose={onClose}
    >
      <UserFields values={values} onChange={setValues} />
    </FormDialog>
  );
}
