/** The errors of upgrades. */
import { CordonError } from '../../kernel/error.ts'

export function notUpgradable(server: string, why: string): CordonError {
  return new CordonError(
    'setup.not-upgradable',
    { exit: 2, hint: 'Run `cordon mcp updates` to see which servers use a package', why },
    `Cannot upgrade ${JSON.stringify(server)}: ${why}`,
  )
}

export function otherVersion(server: string): CordonError {
  return new CordonError(
    'setup.upgrade-changed',
    { exit: 3, hint: `Run \`cordon mcp upgrade ${server}\` to look at it as it is now` },
    `Cannot upgrade ${JSON.stringify(server)}: the new version is not what was looked at`,
  )
}

export function scriptsWait(server: string): CordonError {
  return new CordonError(
    'setup.upgrade-scripts',
    {
      exit: 3,
      hint: `Run \`cordon mcp upgrade ${server}\` in a terminal: only there can you allow them`,
    },
    `Cannot upgrade ${JSON.stringify(server)} from here: install scripts of the new version would run`,
  )
}

export function upgradeFailed(server: string, to: string, from: string, why: string): CordonError {
  return new CordonError(
    'setup.upgrade-failed',
    { exit: 5, hint: `Run \`cordon mcp logs ${server}\` to see what it wrote`, why },
    `Cannot upgrade ${JSON.stringify(server)} to ${to}: ${why}; ${from} is in use again`,
  )
}

export function nothingToUndo(server: string): CordonError {
  return new CordonError(
    'setup.no-undo',
    { exit: 2, hint: 'Connect the version you want: `cordon connect "npx -y PACKAGE@VERSION"`' },
    `Cannot go back: there is no upgrade of ${JSON.stringify(server)} to undo`,
  )
}
