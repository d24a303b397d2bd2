/** The packages in an installed folder, by its lockfile: `zod 4.1.0`, without the package itself. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { LOCK_FILE } from '../python/spell-lock.ts'
import { nameAt } from './lockfile.ts'
import { readReceipt } from './receipt.ts'

const NpmLock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional().catch(undefined) })),
})
const PythonLock = z.object({
  packages: z.array(z.object({ name: z.string(), version: z.string() })),
})

export async function readParts(folder: string): Promise<readonly string[]> {
  const { package: own } = await readReceipt(folder)
  const python = await readJson(path.join(folder, LOCK_FILE))
  const npm = NpmLock.safeParse(await readJson(path.join(folder, 'package-lock.json'))).data
  const parts =
    PythonLock.safeParse(python).data?.packages ??
    Object.entries(npm?.packages ?? {}).map(([place, { version = '' }]) => {
      return { name: nameAt(place), version }
    })
  const others = parts.filter(({ name }) => name !== own && name !== '')
  return [...new Set(others.map(({ name, version }) => `${name} ${version}`))]
}

async function readJson(file: string): Promise<unknown> {
  return await readFile(file, 'utf8').then(JSON.parse, () => undefined)
}
