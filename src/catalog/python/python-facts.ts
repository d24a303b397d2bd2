/**
 * Facts about this machine's python3: version, platform, the names of its own modules, and where its pip lies.
 * Asked inside a sandbox without a network, each time anew: a system update changes the answer.
 */
import { z } from 'zod'
import { CordonError } from '../../kernel/error.ts'
import { PYTHON_FLAGS } from '../../text/python-flags.ts'
import type { PythonFacts } from './python-job.ts'
import { noPython } from './python-errors.ts'
import { type InsideParts, type InsideTask, runInside } from './run-inside.ts'

const QUESTION = String.raw`
import glob, json, os, platform, sys, sysconfig
lib = os.path.dirname(os.__file__)
def listed():
    names = {n.split('.')[0] for n in os.listdir(lib) if n.endswith('.py') or '.' not in n}
    return names | set(sys.builtin_module_names)
def glibc():
    try:
        return [int(n) for n in os.confstr('CS_GNU_LIBC_VERSION').split()[-1].split('.')[:2]]
    except Exception:
        return None
paths = sysconfig.get_paths()
sites = [paths['purelib'], paths['platlib'], '/usr/lib/python3/dist-packages', '/usr/lib/python3/site-packages']
wheels = glob.glob(os.path.join(lib, 'ensurepip', '_bundled', 'pip-*.whl')) + glob.glob('/usr/share/python-wheels/pip-*.whl')
print(json.dumps({
    'implementation': sys.implementation.name,
    'version': list(sys.version_info[:2]),
    'full': '%d.%d.%d' % sys.version_info[:3],
    'machine': platform.machine(),
    'glibc': glibc(),
    'standard': sorted(getattr(sys, 'stdlib_module_names', None) or listed()),
    'pips': [os.path.join(s, 'pip') for s in sites] + sorted(wheels),
    'markers': {
        'os_name': os.name, 'sys_platform': sys.platform, 'platform_machine': platform.machine(),
        'platform_python_implementation': platform.python_implementation(),
        'platform_release': platform.release(), 'platform_system': platform.system(),
        'platform_version': platform.version(), 'python_version': '%d.%d' % sys.version_info[:2],
        'python_full_version': platform.python_version(), 'implementation_name': sys.implementation.name,
        'implementation_version': '%d.%d.%d' % sys.implementation.version[:3],
    },
}))
`

const pair = z.tuple([z.int(), z.int()])
const Facts = z.object({
  implementation: z.literal('cpython'),
  version: pair,
  full: z.string().max(40),
  machine: z.string().regex(/^\w{1,40}$/),
  glibc: pair.nullable(),
  standard: z.array(z.string()),
  pips: z.array(z.string()),
  markers: z.record(z.string(), z.string()),
})

/** Standard modules that wheels often contain by mistake; after Python's own they have no effect. */
const HARMLESS = new Set(['test', '__main__'])
const OLDEST_MINOR = 9

export async function readPythonFacts(
  parts: InsideParts,
  task: Pick<InsideTask, 'server' | 'part'> & { readonly what: string },
  signal: AbortSignal,
): Promise<PythonFacts> {
  const { what, server, part } = task
  const args = [PYTHON_FLAGS, '-c', QUESTION]
  const run = { server, part, command: 'python3', args } as const
  const result = await runInside(parts, run, signal).catch((error: unknown) => {
    throw error instanceof CordonError && /command/.test(error.code) ? noPython(what, error) : error
  })
  const found = Facts.safeParse(parseJson(result.stdout))
  if (!found.success) throw noPython(what, new Error(result.stderr))
  const { glibc, standard, implementation: _cpython, ...facts } = found.data
  const [major, minor] = facts.version
  if (major !== 3 || minor < OLDEST_MINOR) throw noPython(what)
  return {
    ...facts,
    ...(glibc && { glibc }),
    standard: standard.filter((name) => !HARMLESS.has(name)),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
