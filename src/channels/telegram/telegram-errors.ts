/** The errors of the Telegram channel. None repeats a token, a URL or a text of Telegram; those are in the cause. */
import { CordonError } from '../../kernel/error.ts'

export function badToken(): CordonError {
  return new CordonError(
    'channels.bad-token',
    {
      exit: 2,
      hint: 'Ask @BotFather for the token, then run `cordon channels add telegram` again',
    },
    'Cannot use the bot: Telegram does not know its token',
  )
}

export function otherReader(): CordonError {
  return new CordonError(
    'channels.other-reader',
    { exit: 5, hint: 'Stop the other program, or make a bot of its own for Cordon' },
    'Cannot read the messages of the bot: another program reads them, or a webhook is set',
  )
}

export function refusedByTelegram(cause: unknown): CordonError {
  return new CordonError(
    'channels.refused',
    { exit: 5, hint: 'Open the chat with the bot and press Start, then try again' },
    'Cannot write to the chat: Telegram refuses it',
    cause,
  )
}

export function unreachable(cause: unknown): CordonError {
  return new CordonError(
    'channels.unreachable',
    { exit: 5, hint: 'Check the network; Cordon tries again by itself' },
    'Cannot reach Telegram',
    cause,
  )
}

export function notAdded(): CordonError {
  return new CordonError(
    'channels.not-added',
    { exit: 2, hint: 'Run `cordon channels add telegram` first' },
    'Cannot use Telegram: no bot is added',
  )
}

export function ownerIsPaired(): CordonError {
  return new CordonError(
    'channels.owner-paired',
    {
      exit: 2,
      hint: 'Run `cordon channels list`, then `cordon channels unpair telegram ID` first',
    },
    'Cannot pair a second account of the owner',
  )
}

export function notPaired(person: string): CordonError {
  return new CordonError(
    'channels.not-paired',
    { exit: 2, hint: 'Run `cordon channels list` to see who is' },
    `Cannot find ${JSON.stringify(person)} among the paired accounts`,
  )
}

export function nobodyThere(): CordonError {
  return new CordonError(
    'channels.not-paired',
    { exit: 2, hint: 'Run `cordon channels list` to see who is' },
    'Cannot write to that account: it is not paired',
  )
}

export function noOwnerYet(): CordonError {
  return new CordonError(
    'channels.no-owner',
    { exit: 2, hint: 'Run `cordon channels pair telegram` and send the code to the bot' },
    'Cannot send a test message: your account is not paired',
  )
}
