import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { isLoopback } from '../../../config/loopback.ts';
import { type Check, counted, type Finding, ok, problem, said } from '../check.ts';
import type { DoctorContext } from '../context.ts';

const DAY_MS = 24 * 3600_000;
/**
 * A certificate is usually renewed a month before it expires: less than this, ms, means that a renewal
 * failed.
 */
const SOON_MS = 14 * DAY_MS;

/** Checks the certificate of the server's own TLS: its dates, names and key. */
export const certificate: Check = {
  name: 'certificate',
  run(context) {
    const { http } = context;
    if (http?.tls === undefined) return [ok('certificate.none', 'The server does no TLS of its own.')];
    const { cert, key } = http.tls;
    for (const path of [cert, key]) context.privates.add('path', path);
    let found: X509Certificate;
    try {
      found = new X509Certificate(readFileSync(cert));
    } catch (error) {
      return [
        problem(
          'certificate.unreadable',
          `The certificate ${cert} cannot be read: ${said(error)}.`,
          'Give a PEM file with http.tls_cert.',
        ),
      ];
    }
    const findings = [...dates(context, found), ...names(context, found), ...keyOf(context, found, key)];
    if (findings.length > 0) return findings;
    return [
      ok(
        'certificate.good',
        `The certificate is good until ${day(Date.parse(found.validTo))}, and its key belongs to it.`,
      ),
    ];
  },
};

function dates({ now }: DoctorContext, { validFrom, validTo }: X509Certificate): readonly Finding[] {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const time = now();
  if (time < from)
    return [
      problem(
        'certificate.early',
        `The certificate holds from ${day(from)} on, and not yet.`,
        'Set the clock of this machine right, or get another certificate.',
      ),
    ];
  if (time > to)
    return [
      problem(
        'certificate.expired',
        `The certificate ran out on ${day(to)}: clients refuse it.`,
        'Renew it and restart Lectern.',
      ),
    ];
  if (to - time < SOON_MS)
    return [
      problem(
        'certificate.expires',
        `The certificate runs out in ${counted(Math.floor((to - time) / DAY_MS), 'day')}, on ${day(to)}.`,
        'Renew it and restart Lectern.',
      ),
    ];
  return [];
}

function names({ http }: DoctorContext, found: X509Certificate): readonly Finding[] {
  const host = http?.publicUrl?.hostname;
  if (
    host === undefined ||
    isLoopback(host) ||
    (isIP(host) === 0 ? found.checkHost(host) : found.checkIP(host)) !== undefined
  )
    return [];
  return [
    problem(
      'certificate.other_name',
      `The certificate is not for ${host}, where clients reach the server.`,
      'Get one for that name, or correct http.public_url.',
    ),
  ];
}

function keyOf({ user }: DoctorContext, found: X509Certificate, path: string): readonly Finding[] {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path));
  } catch (error) {
    return [
      problem(
        'certificate.key_unreadable',
        `The key ${path} cannot be read: ${said(error)}.`,
        'Give the PEM file of the key, without a passphrase, with http.tls_key.',
      ),
    ];
  }
  if (!found.checkPrivateKey(key))
    return [
      problem(
        'certificate.other_key',
        'The key does not belong to the certificate.',
        'Give the key that the certificate was made for.',
      ),
    ];
  if (user !== undefined && (statSync(path).mode & 0o077) !== 0)
    return [
      problem(
        'certificate.key_open',
        `Other users of this machine may read the key ${path}.`,
        `Close it to them: chmod 600 ${JSON.stringify(path)}.`,
      ),
    ];
  return [];
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
