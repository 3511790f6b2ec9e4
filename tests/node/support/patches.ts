import fc from "fast-check";
import { json, type Json } from "./program.ts";

// Patches that may fit a document and may not: places that there are, places beside and below them, and what RFC 6901
// and RFC 6902 refuse.

const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "list", "0", "x~1y", "m~0n", "") },
  { weight: 4, arbitrary: fc.nat(4).map(String) },
  { weight: 2, arbitrary: fc.constant("-") },
  { weight: 1, arbitrary: fc.constantFrom("00", "01", "+1", "-1", "1e0", "99999999999999999999", "~2", "~") },
);
const pointing = fc.record({ place: fc.nat(60), beside: fc.boolean(), tail: fc.option(segment, { freq: 2, nil: undefined }) });

function placesOf(value: Json, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.keys(value).flatMap((key) => placesOf((value as { [key: string]: Json })[key]!, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`));
  return [...below, path];
}

function pointer({ place, beside, tail }: { place: number; beside: boolean; tail: string | undefined }, places: string[]): string {
  const found = places[place % places.length]!;
  if (tail === undefined) return found;
  return `${beside ? found.slice(0, Math.max(0, found.lastIndexOf("/"))) : found}/${tail}`;
}

const find = (document: Json, path: string): Json | undefined =>
  path.split("/").slice(1).reduce<Json | undefined>((value, name) => (typeof value === "object" && value !== null ? (value as { [key: string]: Json })[name.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined), document);

const choice = fc.record({ op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"), path: pointing, from: pointing, value: json, odd: fc.nat(149) });

/** A document, and a patch for it: one operation in ten isn't well formed. */
export const patches: fc.Arbitrary<[document: Json, patch: { [member: string]: Json }[]]> = fc.tuple(json, fc.array(choice, { minLength: 1, maxLength: 3 })).map(([document, choices]) => {
  const places = placesOf(document);
  const patch = choices.map(({ op, odd, ...rest }) => {
    const [path, from] = [pointer(rest.path, places), pointer(rest.from, places)];
    // A test of a random value never passes.
    const value = op === "test" ? (find(document, path) ?? rest.value) : rest.value;
    const operation: { [member: string]: Json } = { op, path, from, value };
    if (odd < 4) delete operation[["op", "path", "from", "value"][odd]!];
    else if (odd < 7) operation[["op", "path", "from"][odd - 4]!] = 7;
    else if (odd === 7) operation["op"] = "Add";
    else if (odd === 8) operation["path"] = "a";
    return operation;
  });
  return [document, patch];
});
