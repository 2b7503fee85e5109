/** Values by the members of an enum of the contract. */

/**
 * A value for each member of an enum, except the unspecified one: the compiler names a member that lacks one.
 *
 * A member that deliberately has none is `undefined`.
 */
export type ByMember<Member extends string, Value> = Readonly<Record<Exclude<Member, `${string}_UNSPECIFIED`>, Value>>;

/** Returns the value of a member; undefined if it is unspecified, or of a newer server. */
export function ofMember<Member extends string, Value>(values: ByMember<Member, Value>, member: Member | undefined): Value | undefined {
  return (values as Readonly<Partial<Record<string, Value>>>)[member ?? ""];
}
