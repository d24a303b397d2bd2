/** `completion`, and the words that a shell's completion asks for. */
import type { Command } from 'commander'
import { COMPLETION_SCRIPTS, type Shell } from './completion-scripts.ts'
import type { GlobalOptions, Surface } from './context.ts'
import { completeNodes } from './flow/complete-nodes.ts'
import { showJson } from './output.ts'

/** Loads the completion library only for completion, so that others start faster. True if all output is written. */
export async function addCompletion(
  program: Command,
  surface: Surface,
  [word, ...rest]: readonly string[],
): Promise<boolean> {
  if (word === 'complete') {
    const { default: addTab } = await import('@bomb.sh/tab/commander')
    const tab = addTab(program, { completionCommandName: 'completion' })
    return await completeNodes(tab, surface, rest)
  }
  program
    .command('completion')
    .addArgument(program.createArgument('<shell>').choices(Object.keys(COMPLETION_SCRIPTS)))
    .description('print a completion script')
    .addHelpText('after', '\nExample:\n  $ source <(cordon completion bash)')
    .action((shell: Shell, _options: object, command: Command) => {
      const script = COMPLETION_SCRIPTS[shell]
      const { json } = command.optsWithGlobals<GlobalOptions>()
      surface.terminal.stdout.write(json ? `${showJson({ shell, script })}\n` : script)
    })
  return false
}
