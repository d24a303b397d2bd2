/**
 * The settings that a package has people make: the variables in the first example of its README, `"env": { "ES_URL": … }`.
 * They are asked for when its server ends without a reason. Untrusted: a name leads to a question and to nothing else.
 */
import { open, readdir } from 'node:fs/promises'
import path from 'node:path'

const LONGEST_README = 256 * 1024
const MOST = 8
const EXAMPLE = /"env"\s*:\s*\{(?<entries>[^{}]*)\}/
const NAME = /"(?<name>[A-Z][A-Z0-9_]{1,63})"\s*:/g

export function parseNamedSettings(readme: string): readonly string[] {
  const entries = EXAMPLE.exec(readme)?.groups?.['entries'] ?? ''
  const names = Array.from(entries.matchAll(NAME), ({ groups }) => groups?.['name'] ?? '')
  return [...new Set(names)].slice(0, MOST)
}

/** `folder`: of the package itself. None if there is no README. */
export async function readNamedSettings(folder: string): Promise<readonly string[]> {
  const name = (await readdir(folder)).find((one) => /^readme\.(?:md|markdown)$/i.test(one))
  if (name === undefined) return []
  await using file = await open(path.join(folder, name))
  const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_README), 0, LONGEST_README, 0)
  return parseNamedSettings(buffer.toString('utf8', 0, bytesRead))
}
