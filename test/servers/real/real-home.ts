/** A home with the packages of the real servers in it, in a world that has stand-ins for three of their services. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { givePackage, prepareCordonIn } from '../../fixtures/connected-cordon.ts'
import type { Cordon } from '../../fixtures/cordon.ts'
import { createGithub, GITHUB_HOST } from '../../fixtures/github-stand-in.ts'
import { createNotion, NOTION_HOST } from '../../fixtures/notion-stand-in.ts'
import { openOutsideWorld, type OutsideWorld } from '../../fixtures/outside-world.ts'
import { strangerPackage, type StrangerPackage } from '../../fixtures/packages.ts'
import { createSlack, SLACK_HOST } from '../../fixtures/slack-stand-in.ts'
import { REAL_SERVERS, type RealServer, TOKENS } from './real-servers.ts'

export function openRealWorld(): Promise<OutsideWorld> {
  return openOutsideWorld({
    [NOTION_HOST]: createNotion(TOKENS.notion).answer,
    [GITHUB_HOST]: createGithub(TOKENS.github).answer,
    [SLACK_HOST]: createSlack(TOKENS.slack).answer,
  })
}

const ALL_STRANGERS: readonly StrangerPackage[] = REAL_SERVERS.flatMap((one) =>
  one.version === undefined ? [] : [{ package: one.package, version: one.version }],
)

export async function openRealHome(
  world: OutsideWorld,
  servers: readonly RealServer[],
): Promise<Cordon> {
  const known = servers.filter(({ version }) => version === undefined)
  const cordon = await prepareCordonIn(world, ...known.map(({ server }) => server))
  for (const { server, package: name, version } of servers) {
    if (version === undefined) continue
    const wanted = { package: name, version }
    givePackage(cordon, await strangerPackage(server, wanted, ALL_STRANGERS))
  }
  makeNotes(path.join(homeOf(cordon), 'notes'))
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  return cordon
}

/** Writable for all: a sandbox started by root runs as somebody else. */
function makeNotes(folder: string): void {
  mkdirSync(path.join(folder, '.obsidian'), { recursive: true })
  const note = path.join(folder, 'tea.md')
  writeFileSync(note, '# Tea\n\nAssam, 250 grams\n')
  for (const one of [folder, path.join(folder, '.obsidian')]) chmodSync(one, 0o777)
  chmodSync(note, 0o666)
}

export function homeOf({ home }: Cordon): string {
  return path.dirname(home)
}

export function argsOf(
  { package: name, version, args = [] }: RealServer,
  cordon: Cordon,
): readonly string[] {
  const spec = version === undefined ? name : `${name}@${version}`
  return ['-y', spec, ...args.map((arg) => arg.replace('HOME', homeOf(cordon)))]
}

/** The answer as a person reads it, whether it is a result or the server's reason why there is none. */
export async function callOnce(cordon: Cordon, { server, call }: RealServer): Promise<string> {
  const [tool, args] = call
  const text = JSON.stringify(args).replaceAll('HOME', homeOf(cordon))
  const { stdout, stderr } = await cordon.run(['mcp', 'call', `${server}.${tool}`, text, '--yes'])
  return stdout + stderr
}
