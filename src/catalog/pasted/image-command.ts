/**
 * Parses `docker run …` and `podman run …` into image, program and folders. No such program is run: the image is pulled
 * and started by Cordon itself, so an option that would weaken its sandbox is refused with the reason.
 */
import path from 'node:path'
import { seenLine } from '../../text/untrusted-text.ts'
import { notInstallable } from '../catalog-errors.ts'
import { imageName, parseImageReference } from '../images/image-reference.ts'
import type { ImageLaunch } from '../images/wanted-image.ts'
import { isSettableName } from '../settable-name.ts'
import { NEWEST } from './npm-command.ts'
import { takeOptions } from './take-options.ts'

export interface ImageCommand extends Omit<ImageLaunch, 'kind' | 'environment'> {
  /** As written: `-e NAME=value`, or undefined for `-e NAME`. */
  readonly variables: readonly (readonly [string, string | undefined])[]
}

const RUNNER = /^(?:docker|podman|nerdctl) (?:container )?run(?: |$)/
const FLAGS = /^(?:-[itq]+|--(?:interactive|tty|rm|init|quiet|read-only|no-healthcheck))$/
/** Limits and names that Cordon sets itself. */
const OWN =
  /^(?:--(?:name|pull|platform|memory|memory-swap|cpus|cpu-shares|pids-limit|label|hostname|log-driver|log-opt|stop-timeout|stop-signal|restart|cap-drop|tmpfs|shm-size|ulimit|cgroups|annotation)|-[mlh])$/
const TAKES_VALUE =
  /^(?:-[evwupmlh]|--(?:env|volume|mount|workdir|user|publish|entrypoint|network|net|security-opt|cap-add|device|pid|ipc|uts|userns|env-file|add-host|volumes-from|runtime|gpus|name|pull|platform|memory|memory-swap|cpus|cpu-shares|pids-limit|label|hostname|log-driver|log-opt|stop-timeout|stop-signal|restart|cap-drop|tmpfs|shm-size|ulimit|cgroups|annotation))$/
const HINT = 'Paste a line such as `docker run -i --rm -e API_KEY ghcr.io/acme/notes:1.2`'

export function runsImage(program: string, args: readonly string[]): boolean {
  return RUNNER.test([program, ...args].join(' '))
}

/** Undefined unless the line runs an image. */
export function imageCommandIn(program: string, args: readonly string[]): ImageCommand | undefined {
  const words = [program, ...args]
  const runner = RUNNER.exec(words.join(' '))?.[0].trim().split(' ').length
  return runner === undefined ? undefined : parseImageCommand(words.slice(runner))
}

/** `words`: options, the image, and the arguments of its program. */
export function parseImageCommand(words: readonly string[]): ImageCommand {
  const { options, rest } = takeOptions(words, TAKES_VALUE)
  const [image = '', ...args] = rest
  const line: Line = { variables: [], shownAt: {} }
  for (const { name, value } of options) readOption(line, name, value)
  return { ...line, ...parseImageSpec(image), args }
}

export function parseImageSpec(written: string): Pick<ImageLaunch, 'package' | 'version' | 'tag'> {
  const found = parseImageReference(written)
  if (!found) throw notInstallable('what is no container image', HINT)
  const { digest, tag } = found
  const version = digest ?? tag ?? NEWEST
  return { package: imageName(found), version, ...(digest && tag && { tag }) }
}

interface Line {
  variables: (readonly [string, string | undefined])[]
  shownAt: Record<string, string>
  entrypoint?: string
  workingFolder?: string
  user?: { readonly uid: number; readonly gid: number }
}

function readOption(line: Line, name: string, value = ''): void {
  if (FLAGS.test(name) || OWN.test(name)) return
  const read = READERS[name]
  if (!read) throw refused(`with the option ${JSON.stringify(seenLine(name, 40))}`)
  read(line, value)
}

function refused(what: string, hint: string = HINT): Error {
  return notInstallable(`an image ${what}`, hint)
}

type Reader = (line: Line, value: string) => void

function never(what: string, hint: string): Reader {
  return () => {
    throw refused(what, hint)
  }
}

const TALKS =
  'Take the option out: a server talks over its input and output, and reaches hosts by its list (`--allow HOST`)'
const PORT = never('that opens a port on this machine', TALKS)
const KEEPS_OUT = 'Take the option out: Cordon starts it in its sandbox, as every other server'
const POWERS = never('with more rights than a server gets', KEEPS_OUT)
const SHARES = never('that shares the processes or the memory of this machine', KEEPS_OUT)

const READERS: Readonly<Record<string, Reader>> = {
  '-e': readVariable,
  '--env': readVariable,
  '-v': readVolume,
  '--volume': readVolume,
  '--mount': readMount,
  '-w': readWorkingFolder,
  '--workdir': readWorkingFolder,
  '-u': readUser,
  '--user': readUser,
  '--entrypoint': (line, value) => void (line.entrypoint = value),
  '--network': readNetwork,
  '--net': readNetwork,
  '--security-opt': readSecurity,
  '-p': PORT,
  '-P': PORT,
  '--publish': PORT,
  '--publish-all': PORT,
  '--privileged': never('that wants to be root of this machine (--privileged)', KEEPS_OUT),
  '--cap-add': POWERS,
  '--device': POWERS,
  '--gpus': POWERS,
  '--pid': SHARES,
  '--ipc': SHARES,
  '--uts': SHARES,
  '--userns': SHARES,
  '-d': never('in the background', 'Take -d out and put -i in: Cordon talks to it'),
  '--detach': never('in the background', 'Take it out and put -i in: Cordon talks to it'),
  '--env-file': never(
    'with a file of settings',
    'Write each setting as `-e NAME`; Cordon asks for the values',
  ),
}

function readVariable({ variables }: Line, written: string): void {
  const at = written.indexOf('=')
  const name = at < 0 ? written : written.slice(0, at)
  if (!/^[A-Za-z_]\w*$/.test(name)) throw refused('with a setting that has no proper name')
  if (isSettableName(name)) variables.push([name, at < 0 ? undefined : written.slice(at + 1)])
}

/** `SOURCE:TARGET[:ro]`. Whether it may be changed is for the definition to say. */
function readVolume(line: Line, written: string): void {
  const [source = '', target = '', ...options] = written.split(':')
  if (options.length > 1) throw refused('with a folder that cannot be read from the line')
  show(line, source, target)
}

/** `type=bind,src=SOURCE,dst=TARGET,readonly`. */
function readMount(line: Line, written: string): void {
  const fields = new Map(
    written.split(',').map((field): [string, string] => {
      const [key = '', ...value] = field.split('=')
      return [key, value.join('=')]
    }),
  )
  if (fields.get('type') === 'tmpfs') return
  const source = fields.get('src') ?? fields.get('source') ?? ''
  show(line, source, fields.get('dst') ?? fields.get('target') ?? fields.get('destination') ?? '')
}

const CONTROLS = /(?:docker|podman|containerd|crio)\.sock$/

function show({ shownAt }: Line, source: string, target: string): void {
  if (CONTROLS.test(source)) {
    throw refused(
      'that is given control over the containers of this machine (docker.sock)',
      'Do not use it: whoever holds that socket is root of this machine',
    )
  }
  if (!/^[/~]/.test(source)) {
    throw refused(
      'that keeps its data in a volume of Docker, or in a folder that the line does not name whole',
      'Write the whole path of a folder of yours before the colon',
    )
  }
  if (target !== path.posix.resolve(target)) throw refused('with a folder at no whole path inside')
  shownAt[source.replace(/(?<=.)\/+$/, '')] = target
}

function readWorkingFolder(line: Line, value: string): void {
  if (value !== path.posix.resolve(value)) throw refused('that begins in no whole path')
  line.workingFolder = value
}

function readUser(line: Line, value: string): void {
  const [uid = '', gid = '0'] = value.split(':')
  if (!/^\d{1,9}$/.test(uid) || !/^\d{1,9}$/.test(gid)) {
    throw refused('as a user by name', 'Take -u out: Cordon uses the user that the image names')
  }
  line.user = { uid: Number(uid), gid: Number(gid) }
}

function readNetwork(_line: Line, value: string): void {
  if (/^(?:none|bridge|default|private|slirp4netns|pasta)(?::|$)/.test(value)) return
  throw refused("in this machine's own network, or another container's", TALKS)
}

function readSecurity(_line: Line, value: string): void {
  if (!value.startsWith('no-new-privileges'))
    throw refused('with other walls than its sandbox has', KEEPS_OUT)
}
