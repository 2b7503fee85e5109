import { useState } from "react";
import { displayName, useCreateSignInLink, useCreateUser } from "@/data/users";
import type { SignInLinkJson } from "@/gen/echomind/public/v1/auth_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { FormDialog } from "@/ui/FormDialog";
import { SignInLinkDialog } from "./SignInLinkDialog";
import { UserFields, userOf, type UserValues } from "./UserFields";

const EMPTY: UserValues = { userName: "", email: "", firstName: "", lastName: "", groups: "", role: "ROLE_USER" };

/** Creates an account, and a link by which its person signs in. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState(EMPTY);
  const [created, setCreated] = useState<UserJson>();
  const [link, setLink] = useState<SignInLinkJson>();
  const creation = useCreateUser();
  const linking = useCreateSignInLink();
  const invite = async () => {
    // When only the link has failed, the account is there already.
    const user = created ?? (await creation.mutateAsync(userOf(values)));
    setCreated(user);
    setLink(await linking.mutateAsync(user.id ?? 0));
  };
  if (created && link) return <SignInLinkDialog name={displayName(created)} link={link} onClose={onClose} />;
  return (
    <FormDialog title="Invite a person" action="Create link" staysOpen onSubmit={invite} onClose={onClose}>
      <UserFields values={values} onChange={setValues} />
    </FormDialog>
  );
}
