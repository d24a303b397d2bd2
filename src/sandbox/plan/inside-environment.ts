/** The whole environment of a sandboxed program. Never copies a variable of the host's own environment. */
import path from 'node:path'
import type { LaunchSpec } from '../../kernel/sandbox-port.ts'
import { PROXY_PORT } from '../../text/tunnel.ts'
import { INSIDE_AUTHORITIES, INSIDE_HOME, INSIDE_NODE, INSIDE_SEAL } from './inside-files.ts'

const PROXY = `http://127.0.0.1:${PROXY_PORT}`

/** V8 reports a full heap cleanly only if its heap limit is well below the memory limit of the process. */
const HEAP_SHARE = 0.6
const SMALLEST_HEAP_MB = 64

export function insideEnvironment(
  spec: LaunchSpec,
  hasAuthorities: boolean,
): Readonly<Record<string, string>> {
  return {
    PATH: `${path.dirname(INSIDE_NODE)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: INSIDE_HOME,
    TMPDIR: spec.settings.allowTmp ? '/tmp' : INSIDE_HOME,
    XDG_CACHE_HOME: `${INSIDE_HOME}/.cache`,
    XDG_CONFIG_HOME: `${INSIDE_HOME}/.config`,
    XDG_DATA_HOME: `${INSIDE_HOME}/.local/share`,
    XDG_RUNTIME_DIR: '/run',
    npm_config_cache: `${INSIDE_HOME}/.npm`,
    LANG: 'C.UTF-8',
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(hasAuthorities && { NODE_EXTRA_CA_CERTS: INSIDE_AUTHORITIES }),
    ...spec.environment,
    ...heapLimit(spec),
    ...(spec.networked ? proxyVariables() : {}),
    ...(spec.authority === undefined ? {} : sealVariables()),
  }
}

/** Read by Node, by OpenSSL and so by Python and Go, by Python's requests, by curl and by git. */
function sealVariables(): Readonly<Record<string, string>> {
  const names = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']
  return Object.fromEntries([...names, 'GIT_SSL_CAINFO'].map((name) => [name, INSIDE_SEAL]))
}

/** Set for every program, since any may start Node. Node options of the definition are kept. */
export function heapLimit(spec: LaunchSpec): Readonly<Record<string, string>> {
  const megabytes = Math.floor((spec.settings.memoryLimitBytes * HEAP_SHARE) / 2 ** 20)
  const flag = `--max-old-space-size=${Math.max(SMALLEST_HEAP_MB, megabytes)}`
  const declared = spec.environment['NODE_OPTIONS']
  return { NODE_OPTIONS: declared ? `${flag} ${declared}` : flag }
}

/** The proxy is the only way out of the sandbox, so these override the proxy variables of a definition. */
function proxyVariables(): Readonly<Record<string, string>> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  return {
    ...Object.fromEntries(
      names.flatMap((name) => [name, name.toLowerCase()].map((n) => [n, PROXY])),
    ),
    NO_PROXY: '',
    no_proxy: '',
    NODE_USE_ENV_PROXY: '1',
  }
}
