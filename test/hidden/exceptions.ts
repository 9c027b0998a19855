/**
 * What can still be told of hidden notes, by name: the whole list. The guide has the same one, and a test holds the two
 * together. The comparisons of this folder keep clear of these, and of nothing else.
 */
export const EXCEPTIONS: readonly string[] = [
  'A link by name that only a hidden note had',
  'A name that is taken',
  'How a folder is spelled',
  'How long an answer takes',
  'How far back the history reaches',
  'Right after the owner changes the rules',
];
