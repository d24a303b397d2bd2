/** Small talk, by a fixed list: the only messages that are answered without a plan. Pure. */

const TALK: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))(?: there| cordon)?$/,
    'Hello! Ask for something, for example: list my files. `help` shows what I understand.',
  ],
  [/^(?:thanks|thank you|thx|ty|cheers)(?: a lot| so much| very much)?$/, 'You are welcome.'],
  [/^(?:bye|goodbye|see you|good night)$/, 'Goodbye. `exit` leaves the chat.'],
  [/^how are you(?: doing| today)?$/, 'Fine, thank you. `status` says how everything is.'],
  [/^(?:ok|okay|cool|great|nice|perfect|good|fine|alright|got it)$/, 'Good.'],
  [
    /^(?:who|what) are you$/,
    'I am Cordon. I use the services you connect, and ask before I change anything that matters.',
  ],
  [
    /^(?:what (?:all )?can (?:you|i) (?:do|ask|say)(?: here| for me)?|what do you do|how does this work)$/,
    'I use the services you connect: I look things up there, and ask you before I change anything that matters. `/tools` lists what I can use now, `help` what to type.',
  ],
]

export function smallTalk(words: string): string | undefined {
  const said = words
    .toLowerCase()
    .replace(/[\s!.,?…)(:;]+/g, ' ')
    .trim()
  return TALK.find(([pattern]) => pattern.test(said))?.[1]
}
