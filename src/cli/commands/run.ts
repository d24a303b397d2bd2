/** `run`: runs a flow, given in any form. */
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { sourceFrom } from '../flow/flow-source.ts'
import { type RunOptions, runFlow, withRunOptions } from '../flow/run-flow.ts'

export function addRunCommand(program: Command, context: Context): void {
  const run = program
    .command('run')
    .argument('<flow...>', 'a flow in quotes, a *.flow or *.json file, or the name of a saved one')
    .description('run a flow: tools and built-in nodes, one after the other')
    .allowUnknownOption()
    .addHelpText(
      'after',
      `
What is piped in becomes the first input that nobody gave. Options of \`run\` itself may stand anywhere;
those of a node follow its name, and after \`--\` all of them are a node's.

Example:
  $ cordon run 'mcp-github-search-code --query TODO >> summarize-text >> write-file --path todo.md'
  $ cordon run digest.flow --input query=TODO
  $ echo "TODO comments" | cordon run 'mcp-github-search-code >> summarize-text'
  $ cordon mcp-github-search-code --query TODO then summarize-text`,
    )
  withRunOptions(run).action(async (words: string[], options: RunOptions, command: Command) => {
    const { workingFolder } = context.surface
    await runFlow(context, command, options, (api) => sourceFrom(api, workingFolder, words))
  })
}
