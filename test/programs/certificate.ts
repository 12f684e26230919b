import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** A key and a certificate for the names that it signed itself, as PEM files in the folder. `more`: arguments for `openssl req`. */
export function makeCertificate(
  folder: string,
  name: string,
  names: string,
  more: readonly string[] = [],
): { readonly keyFile: string; readonly certificateFile: string } {
  const [keyFile, certificateFile] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const what = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`, ...more]
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', keyFile, '-out', certificateFile, ...what], {
    stdio: 'pipe',
  })
  return { keyFile, certificateFile }
}
