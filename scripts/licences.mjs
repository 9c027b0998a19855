// The licence texts that must go with the code of a bundle.
import { readdirSync, readFileSync } from 'node:fs';

/** Files by which a package states its terms, and those of code that it holds itself. */
const STATED = /^(?:licen[cs]e|copying|notice|third-party-notices)(?:[.-].*)?$/i;
const RULE = `\n${'-'.repeat(80)}\n\n`;

/**
 * @param folders of packages, with a slash between their parts
 * @returns one text with name, version and terms of every one of them
 * @throws Error for a package whose terms are not known: its code must not be given to others
 */
export function licencesOf(folders) {
  const packages = folders.map((folder) => ({
    about: JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')),
    texts: statedIn(folder),
  }));
  const terms = packages.map(({ about, texts }) => {
    const all = texts.length > 0 ? texts : (ofSibling(about, packages) ?? [standardTerms(about)]);
    return `${about.name} ${about.version} (${about.license})\n\n${all.join('\n\n')}\n`;
  });
  return `Code of these packages is in the files of this folder.\n\n${terms.join(RULE)}`;
}

function statedIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && STATED.test(entry.name))
    .map((entry) => readFileSync(`${folder}/${entry.name}`, 'utf8').trim())
    .filter((text) => text !== '');
}

/** Packages of one repository under one licence have one text of it, which not all of them bring. */
function ofSibling({ license, repository }, packages) {
  const url = repository?.url;
  if (url === undefined) return undefined;
  return packages.find(
    ({ about, texts }) => texts.length > 0 && about.license === license && about.repository?.url === url,
  )?.texts;
}

/** A package may name the MIT licence in package.json and bring no file of it; the text is the same for all. */
function standardTerms({ name, license, author, contributors = [] }) {
  if (license !== 'MIT') throw new Error(`${name} (${license}) brings no text of its licence.`);
  const people = [author, ...contributors]
    .filter((person) => person !== undefined)
    .map((person) => (typeof person === 'string' ? person : person.name));
  return MIT.replace('<holder>', people.length === 0 ? `the authors of ${name}` : people.join(', '));
}

const MIT = `MIT License

Copyright (c) <holder>

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
