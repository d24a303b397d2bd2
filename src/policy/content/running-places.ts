/**
 * Files that run because of their place or name: pipelines, hooks, build files, start-up files, instructions to agents.
 * Untrusted text in such a file is an untrusted program. Names the place in the host's words. Pure.
 */
import { Labelled } from '../../labels/labelled.ts'
import type { RevealToken } from '../../labels/reveal-token.ts'
import type { Json, JsonObject } from '../../text/json.ts'

/** A trailing slash means everything below that folder, wherever the folder is. */
const PLACES = `
  .github/workflows/ .github/actions/ .github/dependabot.yml .gitlab-ci.yml .gitlab/ .circleci/ .travis.yml .buildkite/
  .woodpecker/ .woodpecker.yml .drone.yml .teamcity/ .semaphore/ azure-pipelines.yml bitbucket-pipelines.yml
  appveyor.yml cloudbuild.yaml codefresh.yml jenkinsfile
  .git/ .githooks/ .husky/ .gitmodules .gitattributes .pre-commit-config.yaml lefthook.yml
  makefile gnumakefile cmakelists.txt justfile taskfile.yml rakefile gemfile vagrantfile procfile dockerfile
  containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml
  package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs setup.py setup.cfg pyproject.toml conftest.py tox.ini
  requirements.txt build.gradle build.gradle.kts settings.gradle pom.xml build.rs cargo.toml .cargo/ go.mod build.sbt
  composer.json mix.exs vercel.json netlify.toml wrangler.toml
  .vscode/ .idea/ .devcontainer/ .envrc .env .bashrc .bash_profile .zshrc .zprofile .profile .ssh/ .config/autostart/
  cron.d/ crontab authorized_keys codeowners
  .mcp.json mcp.json .cordon/ .cursor/ .cursorrules .claude/ agents.md claude.md copilot-instructions.md
`
  .trim()
  .split(/\s+/)
const FOLDERS = PLACES.filter((place) => place.endsWith('/'))
const FILES: ReadonlySet<string> = new Set(PLACES.filter((place) => !place.endsWith('/')))
const PROGRAM = /\.(?:sh|bash|zsh|bat|cmd|ps1|mk|service)$/

/** The place by which the file at this path runs; undefined if it does not. */
export function runningPlace(path: string): string | undefined {
  const plain = `/${path.normalize('NFKC').replaceAll('\\', '/').toLowerCase()}/`
    .replace(/\/(?:\.?\/)+/g, '/')
    .slice(0, -1)
  const folder = FOLDERS.find((one) => `${plain}/`.includes(`/${one}`))
  if (folder !== undefined) return folder
  const name = plain.slice(plain.lastIndexOf('/') + 1)
  const file = FILES.has(name) ? name : [...FILES].find((one) => plain.endsWith(`/${one}`))
  if (file !== undefined) return file
  return PROGRAM.exec(name)?.[0].replace('.', '*.')
}

type Args = Readonly<Record<string, Labelled>>

/** The running places among the paths of a call: its other arguments, and the paths inside `name` itself. */
export function runningPlaces(args: Args, name: string, token: RevealToken): readonly string[] {
  const paths: string[] = []
  const own = args[name]
  if (own) collectPaths(Labelled.reveal(own, token), paths)
  const others = Object.keys(args).filter((one) => one !== name && PATH_NAME.test(one))
  const values = others.map((one) => Labelled.reveal(args[one] as Labelled, token))
  const texts = values.filter((value): value is string => typeof value === 'string')
  // The folder and the file may come apart, in either order.
  paths.push(...texts, texts.join('/'), texts.toReversed().join('/'))
  return [...new Set(paths.flatMap((path) => runningPlace(path) ?? []))]
}

const PATH_NAME = /path|file|folder|dir|name|key|target|destination/i
/** No file system takes a longer one. */
const LONGEST_PATH = 4096

function collectPaths(value: Json, into: string[]): void {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const isPath = !isList && PATH_NAME.test(name)
    if (typeof member !== 'string') collectPaths(member, into)
    else if (isPath && member.length <= LONGEST_PATH) into.push(member)
  }
}
