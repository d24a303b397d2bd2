/**
 * Unpacks one wheel into the folder of all modules. A wheel is a zip with a list of its files (RECORD): each file must be
 * listed with the hash it has. Nothing of it runs. Left out: `.pth` files, which Python runs at every start, compiled
 * files, which need not be what their source says, and scripts, headers and data for other folders of the machine.
 */
import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Unfit } from '../install/unfit.ts'
import { parseMetadata, readHeaders } from './metadata.ts'
import { normalName } from './normal-name.ts'
import { compareVersions, parseVersion, type Version } from './version.ts'
import { readZip, type Zip, type ZipEntry } from './zip.ts'

export interface WheelToUnpack {
  readonly name: string
  readonly version: Version
  readonly bytes: Buffer
  /** The metadata by which it was chosen; the wheel must have the same. */
  readonly metadataSha256?: string
}

export interface UnpackPlace {
  /** Holds all modules. */
  readonly site: string
  /** Names of modules that come with Python. */
  readonly standard: ReadonlySet<string>
  /** The files that are there, with package and hash; unpacking adds to them. */
  readonly taken: Map<string, { readonly owner: string; readonly sha256: string }>
}

const LIMITS = { entries: 40_000, bytes: 1024 * 2 ** 20 }
const LEFT_OUT = new Set(['scripts', 'headers', 'data'])

/** The files that were left out because Python would run them by itself. */
export function unpackWheel(wheel: WheelToUnpack, place: UnpackPlace): readonly string[] {
  const zip = readZip(wheel.bytes, LIMITS)
  const info = findInfo(zip, wheel)
  checkInfo(zip, info, wheel)
  const record = readRecord(zip, info)
  const refused: string[] = []
  for (const entry of zip.entries) {
    const target = targetOf(entry.name, info)
    if (entry.name.endsWith('/')) continue
    const content = zip.read(entry)
    checkRecorded(entry.name, content, record, info)
    if (target === undefined || isCompiled(target)) continue
    if (runsByItself(target)) refused.push(target)
    else write(place, wheel.name, { target, content, isExecutable: entry.isExecutable })
  }
  checkComplete(zip, record)
  return refused
}

/** The text of a file in `*.dist-info`, without unpacking anything. */
export function readInfo(wheel: WheelToUnpack, file: string): string | undefined {
  const zip = readZip(wheel.bytes, LIMITS)
  return textIn(zip, `${findInfo(zip, wheel)}/${file}`)
}

function textIn(zip: Zip, name: string): string | undefined {
  const entry = zip.entries.find((one) => one.name === name)
  return entry && zip.read(entry).toString('utf8')
}

/** The one `name-version.dist-info` of this very package. */
function findInfo(zip: Zip, { name, version }: WheelToUnpack): string {
  const tops = new Set(zip.entries.map((entry) => entry.name.split('/')[0] ?? ''))
  const infos = [...tops].filter((top) => top.endsWith('.dist-info'))
  const [info = ''] = infos
  const [, itsName = '', itsVersion = ''] = /^(.+)-([^-]+)\.dist-info$/.exec(info) ?? []
  const found = parseVersion(itsVersion.replaceAll('_', '-'))
  const isIts = normalName(itsName) === name && found && compareVersions(found, version) === 0
  if (infos.length !== 1 || !isIts) throw new Unfit('its archive is of another package')
  return info
}

function checkInfo(zip: Zip, info: string, wheel: WheelToUnpack): void {
  const head = textIn(zip, `${info}/WHEEL`) ?? ''
  const written = readHeaders(head.replaceAll('\r\n', '\n')).get('wheel-version')?.[0] ?? ''
  if (!/^1\.\d{1,3}$/.test(written)) throw new Unfit('its archive is no wheel that Cordon knows')
  const text = textIn(zip, `${info}/METADATA`)
  if (text === undefined) throw new Unfit('its description is missing')
  const { name, version } = parseMetadata(text)
  const isSame = name === wheel.name && compareVersions(version, wheel.version) === 0
  if (!isSame) throw new Unfit('its archive is of another package')
  const { metadataSha256 } = wheel
  if (metadataSha256 !== undefined && hash('sha256', text, 'hex') !== metadataSha256) {
    throw new Unfit('its archive has another description than the Python index says')
  }
}

type Recorded = ReadonlyMap<string, string>

/** The hash of each file, by name: a CSV of name, `sha256=…` and size. */
function readRecord(zip: Zip, info: string): Recorded {
  const text = textIn(zip, `${info}/RECORD`)
  if (text === undefined) throw new Unfit('its list of files is missing')
  const rows = text.split(/\r?\n/).filter((line) => line !== '')
  return new Map(rows.map(readRow))
}

const ROW = /^(?:"(?<quoted>(?:[^"]|"")*)"|(?<plain>[^",]*)),(?<hash>[^,]*),\d*$/

function readRow(line: string): [string, string] {
  const { quoted, plain = '', hash: written = '' } = ROW.exec(line)?.groups ?? {}
  return [quoted?.replaceAll('""', '"') ?? plain, written]
}

/** RECORD itself and its signatures are the only files without a hash. */
const UNLISTED = /^RECORD(?:\.jws|\.p7s)?$/

function checkRecorded(name: string, content: Buffer, record: Recorded, info: string): void {
  if (path.dirname(name) === info && UNLISTED.test(path.basename(name))) return
  const [algorithm = '', wanted = ''] = (record.get(name) ?? '').split('=')
  const isKnown = ['sha256', 'sha384', 'sha512'].includes(algorithm)
  if (!isKnown || hash(algorithm, content, 'base64url') !== wanted.replace(/=+$/, '')) {
    throw new Unfit(`${JSON.stringify(name)} is not what its list of files says`)
  }
}

function checkComplete(zip: Zip, record: Recorded): void {
  const there = new Set(zip.entries.map(({ name }) => name))
  const missing = [...record.keys()].find((name) => !there.has(name))
  if (missing === undefined) return
  throw new Unfit(`${JSON.stringify(missing.slice(0, 80))} of its list of files is missing`)
}

/** The path below the folder of modules; undefined for what belongs elsewhere on a machine. */
function targetOf(name: string, info: string): string | undefined {
  const [top = '', key = '', ...rest] = name.split('/')
  if (!top.endsWith('.data')) return name
  const isOwn = top === info.replace(/\.dist-info$/, '.data')
  if (isOwn && (key === 'purelib' || key === 'platlib')) return rest.join('/')
  if (isOwn && (LEFT_OUT.has(key) || key === '')) return undefined
  throw new Unfit(`${JSON.stringify(name)} in its archive belongs to no known folder`)
}

function isCompiled(target: string): boolean {
  return /(?:^|\/)__pycache__\/|\.py[co]$/.test(target)
}

/** Files that Python runs at every start, before the program itself. */
function runsByItself(target: string): boolean {
  return /^[^/]*\.pth$|^(?:site|user)customize(?:\.|\/)/.test(target)
}

function write(
  { site, standard, taken }: UnpackPlace,
  owner: string,
  file: Pick<ZipEntry, 'isExecutable'> & { readonly target: string; readonly content: Buffer },
): void {
  const { target, content, isExecutable } = file
  if (target === '') return
  refuseStandard(target, standard)
  const sha256 = hash('sha256', content, 'hex')
  const before = taken.get(target)
  if (before && before.sha256 !== sha256) {
    throw new Unfit(`${JSON.stringify(target)} comes with ${JSON.stringify(before.owner)} too`)
  }
  taken.set(target, { owner, sha256 })
  const full = path.join(site, target)
  if (!full.startsWith(`${site}/`)) throw new Unfit('a file of it lies outside of its folder')
  if (before) return
  try {
    mkdirSync(path.dirname(full), { recursive: true })
    // Not over a file that is there, and not through a link.
    writeFileSync(full, content, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 })
  } catch (cause) {
    if (!isClash(cause)) throw cause
    throw new Unfit(`${JSON.stringify(target)} is a file and a folder`, { cause })
  }
}

const CLASHES = new Set<unknown>(['EEXIST', 'EISDIR', 'ENOTDIR'])

/** Of two wheels, or of a wheel and its `.data`: a wheel alone was looked at already. */
function isClash(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CLASHES.has(error.code)
}

function refuseStandard(target: string, standard: ReadonlySet<string>): void {
  const [module = ''] = target.split(/[./]/)
  if (!standard.has(module)) return
  throw new Unfit(`it brings a module ${JSON.stringify(module)}, which is one of Python's own`)
}
