/**
 * The text of the systemd user unit that runs Cordon. Pure. Holds no secret: a unit can be read by every program of its
 * user, and `systemctl show` prints its environment.
 */
export interface UnitFacts {
  /** Program and arguments. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Read at each start if it exists; for settings that are secret, such as DATABASE_URL. */
  readonly environmentFile: string
  /** Lingering was switched on by the install, so a removal switches it off again. */
  readonly isLingeringOurs: boolean
}

const LINGERING = '# Lingering was switched on for this unit.'

export function unitText(facts: UnitFacts): string {
  const { command, environment, environmentFile, isLingeringOurs } = facts
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return [
    '# Written by `cordon service install`, and removed by `cordon service remove`.',
    ...(isLingeringOurs ? [LINGERING] : []),
    '[Unit]',
    'Description=Cordon, which keeps MCP servers behind a cordon',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${command.map(quoted).join(' ')}`,
    ...settings.map((setting) => `Environment=${quoted(setting)}`),
    `EnvironmentFile=-${escaped(environmentFile)}`,
    'Restart=on-failure',
    'RestartSec=5',
    'TimeoutStopSec=30',
    'KillMode=mixed',
    '# A server that takes too much memory is ended alone, in a cgroup of its own where that is possible.',
    'Delegate=yes',
    'OOMPolicy=continue',
    '# Namespaces, mounts and just-in-time code stay allowed: the sandbox of every server is made of the first two.',
    'NoNewPrivileges=yes',
    'LockPersonality=yes',
    'RestrictRealtime=yes',
    'SystemCallArchitectures=native',
    'UMask=0077',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** Whether an install that wrote this text had switched lingering on. */
export function ownsLingering(text: string): boolean {
  return text.split('\n').includes(LINGERING)
}

/** As in systemd.syntax(7): `%` and `$` are doubled, so that neither a specifier nor a variable is expanded. */
function quoted(word: string): string {
  const text = word.replaceAll(/[\\"]/g, (character) => `\\${character}`).replaceAll('\n', '\\n')
  return `"${escaped(text).replaceAll('$', '$$$$')}"`
}

function escaped(text: string): string {
  return text.replaceAll('%', '%%')
}
