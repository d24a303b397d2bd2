/**
 * `auth client-document`: prints the client metadata document (CIMD) that describes Cordon to sign-in servers, for the
 * owner to host. Holds no secret: a client of this kind has none.
 */
import type { Command } from 'commander'
import { CordonError } from '../../kernel/error.ts'
import { type Context, outputOf } from '../context.ts'

const PATH = '/oauth/callback'

export function addClientDocumentCommand(auth: Command, context: Context): void {
  auth
    .command('client-document')
    .argument('<url>', 'the https address under which you will host it')
    .description('print the document that describes Cordon to sign-in servers')
    .option('--port <port>', 'the callback_port of your settings, if you have set one')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon auth client-document https://me.example/cordon.json > cordon.json',
    )
    .action((url: string, { port }: { readonly port?: string }, command: Command) => {
      const document = describeClient(url, port)
      const output = outputOf(context, command)
      output.answer(document, () => JSON.stringify(document, undefined, 2).split('\n'))
      const setting = `client_document = ${JSON.stringify(url)}`
      output.note(`Host it at ${url}, then write ${setting} under [sign_in] in config.toml.`)
    })
}

/**
 * The address without a port stands for every port of this machine (RFC 8252, section 7.3); servers that compare it
 * letter by letter need the fixed one.
 */
export function describeClient(url: string, port?: string): Readonly<Record<string, unknown>> {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:' || parsed.pathname === '/' || parsed.href !== url) {
    throw unusable('Write it like https://me.example/cordon.json', 'that address')
  }
  if (port !== undefined && !/^[1-9]\d{3,4}$/.test(port)) {
    throw unusable('Name a port from 1024 to 65535', 'that port')
  }
  const ports = port === undefined ? [''] : ['', `:${port}`]
  return {
    client_id: url,
    client_name: 'Cordon',
    application_type: 'native',
    redirect_uris: ports.map((one) => `http://127.0.0.1${one}${PATH}`),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

function unusable(hint: string, what: string): CordonError {
  return new CordonError(
    'cli.client-document',
    { exit: 2, hint },
    `Cannot describe a client: ${what} cannot be used`,
  )
}
