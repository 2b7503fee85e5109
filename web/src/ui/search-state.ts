/** View state of a page in its URL: filters, tabs, open panels. It survives a reload and can be shared. */
import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";

/** Conversion of a value to and from the URL. Default and unknown values are omitted. */
export interface Codec<T> {
  read: (values: readonly string[]) => T;
  write: (value: T) => readonly string[];
}

/** A text, empty by default. */
export function text(): Codec<string> {
  return { read: ([value = ""]) => value, write: (value) => (value ? [value] : []) };
}

/** One of several words. */
export function oneOf<const T extends string>(words: readonly T[], byDefault: NoInfer<T>): Codec<T> {
  return {
    read: ([value]) => words.find((word) => word === value) ?? byDefault,
    write: (value) => (value === byDefault ? [] : [value]),
  };
}

/** Any of several words, none by default; each repeats the name. */
export function many<const T extends string>(words: readonly T[]): Codec<readonly T[]> {
  return { read: (values) => words.filter((word) => values.includes(word)), write: (value) => value };
}

/** Any texts, such as ids; each repeats the name. */
export function texts(): Codec<readonly string[]> {
  return { read: (values) => values.filter(Boolean), write: (value) => value };
}

/** Something that holds or does not, which it does not by default. */
export function flag(): Codec<boolean> {
  return { read: ([value]) => value === "1", write: (value) => (value ? ["1"] : []) };
}

type Codecs<Values> = { readonly [Name in keyof Values]: Codec<Values[Name]> };

/** Updates some values: `push` adds an entry to the browser's history, for changes that "Back" should undo. */
type SetState<Values> = (changes: Partial<Values>, how?: "replace" | "push") => void;

/** Object.entries of codecs with a common type. */
const entries = (codecs: object) => Object.entries(codecs as Readonly<Record<string, Pick<Codec<unknown>, "read">>>);

/**
 * The values of the address by their codecs, and how to change some of them.
 *
 * @param codecs A constant outside of the component, by the names in the address; names that it lacks stay as they are.
 */
export function useSearchState<Values extends object>(codecs: Codecs<Values>): [Readonly<Values>, SetState<Values>] {
  const [parameters, setParameters] = useSearchParams();
  const state = useMemo(
    () => Object.fromEntries(entries(codecs).map(([name, { read }]) => [name, read(parameters.getAll(name))])),
    [codecs, parameters],
  ) as Values;
  const setState = useCallback<SetState<Values>>(
    (changes, how = "replace") =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(before);
          for (const name of Object.keys(changes) as (keyof Values & string)[]) {
            after.delete(name);
            for (const word of codecs[name].write(changes[name] as Values[typeof name])) after.append(name, word);
          }
          return after;
        },
        { replace: how === "replace" },
      ),
    [codecs, setParameters],
  );
  return [state, setState];
}
