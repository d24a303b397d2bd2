/**
 * The npm registry of this machine: npm itself is asked, without a network and without the owner's tokens. Of the
 * owner's npmrc, npm gets only the lines that name registries.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { ServerId } from '../../kernel/server-id.ts'
import { cannotInstall } from './install-errors.ts'
import type { PartFolder } from './part-folder.ts'
import { type NpmParts, runNpm } from './run-npm.ts'

export interface Registry {
  readonly url: string
  readonly host: string
  /** Scopes (`@corp`) that the owner gets from another registry. Here the same name may be an attacker's. */
  readonly scopes: ReadonlySet<string>
}

export interface RegistryParts extends NpmParts {
  /** The owner's npmrc, usually `~/.npmrc`; may be missing. */
  readonly npmrcPath: string
  /** `npm_config_registry` from the environment; wins over the npmrc. */
  readonly registryUrl?: string
}

export interface RegistryQuestion {
  readonly server: ServerId
  /** The wanted package, for error messages. */
  readonly what: string
  readonly part: PartFolder
}

/** At least two labels, the last of them not a number: an IP address is refused. */
const FULL_NAME = /^[\w.-]+\.[a-z][\w-]*$/
const REGISTRY_LINE = /^\s*(?:@[\w.-]+:)?registry\s*=/

export async function askRegistry(
  parts: RegistryParts,
  { server, what, part }: RegistryQuestion,
  signal: AbortSignal,
): Promise<Registry> {
  const npmrc = path.join(part.notes, 'npmrc')
  const override = parts.registryUrl === undefined ? '' : `registry=${parts.registryUrl}`
  const lines = registryLines(`${await readText(parts.npmrcPath)}\n${override}`) // the last one wins
  await writeFile(npmrc, lines, { mode: 0o644 })
  const args = ['config', 'list', '--json', '--userconfig', npmrc]
  const run = { server, args, cache: part.cache, readPaths: [part.notes] }
  const { stdout, stderr } = await runNpm(parts, run, signal)
  const settings = parseSettings(stdout)
  if (settings) return parseRegistry(settings, what)
  throw cannotInstall('install-failed', what, 'npm does not start', new Error(stderr))
}

export function registryLines(npmrc: string): string {
  return npmrc
    .split(/\r?\n/)
    .filter((line) => REGISTRY_LINE.test(line))
    .map((line) => `${line}\n`)
    .join('')
}

const Settings = z.record(z.string(), z.unknown())

function parseSettings(stdout: string): z.infer<typeof Settings> | undefined {
  try {
    return Settings.parse(JSON.parse(stdout))
  } catch {
    return undefined
  }
}

/** Errors name only the host of the URL: the rest may hold a password. */
export function parseRegistry(settings: Readonly<Record<string, unknown>>, what: string): Registry {
  const given = settings['registry']
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined
  const no = (why: string) => cannotInstall('registry-setting', what, why)
  if (!url) throw no('the npm registry in your settings is not an address')
  const { hostname: host } = url
  const shown = JSON.stringify(host)
  if (url.protocol !== 'https:') throw no(`the npm registry at ${shown} does not use https`)
  if (url.port !== '') throw no(`the npm registry at ${shown} is not on port 443`)
  if (!FULL_NAME.test(host)) throw no(`the npm registry ${shown} has no full host name`)
  if (url.username || url.password) throw no('the address of the npm registry holds a password')
  const scopes = Object.keys(settings)
    .filter((key) => key.startsWith('@') && key.endsWith(':registry'))
    .filter((key) => settings[key] !== given)
    .map((key) => key.slice(0, -':registry'.length))
  return { url: url.href, host, scopes: new Set(scopes) }
}

async function readText(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '')
}
