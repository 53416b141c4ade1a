import { iso31661Alpha2ToAlpha3 } from 'iso-3166/1-a2-to-1-a3.js';
import { quote } from './text.ts';

/** What is often written instead of a code. */
const alternatives: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/** The codes of ISO 3166-1 alpha-2, in their order. */
export function countryCodes(): readonly string[] {
  return Object.keys(iso31661Alpha2ToAlpha3).sort();
}

/** What is wrong with a country code, or `undefined`: it must be assigned in ISO 3166-1 alpha-2. */
export function countryProblem(code: string): string | undefined {
  if (Object.hasOwn(iso31661Alpha2ToAlpha3, code)) return undefined;
  const upper = code.trim().toUpperCase();
  const isCode = Object.hasOwn(iso31661Alpha2ToAlpha3, upper);
  const right = isCode ? upper : (alternatives[upper] ?? countryNamed(upper));
  return `${quote(code)} is not an assigned country code of ISO 3166-1${right === undefined ? '' : `: write ${right}`}`;
}

const countryNamed = namedCountries();

/** Finds the country that a name in English or German, or a code of three letters, means. The names load when they are needed. */
function namedCountries(): (upper: string) => string | undefined {
  let names: ReadonlyMap<string, string> | undefined;
  return (upper) => {
    names ??= new Map(
      ['en', 'de'].flatMap((language) => {
        const inLanguage = new Intl.DisplayNames([language], { type: 'region' });
        return Object.entries(iso31661Alpha2ToAlpha3).flatMap(([code, three]) =>
          [three, inLanguage.of(code)?.toUpperCase() ?? code].map((name) => [name, code] as const),
        );
      }),
    );
    return names.get(upper);
  };
}

/** Codes of ISO 4217 in force in 2026, without XXX (none) and XTS (tests). */
const current =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF ' +
  'CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD ' +
  'HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD ' +
  'MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN ' +
  'PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD ' +
  'TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD ' +
  'XPF XPT XSU XUA YER ZAR ZMW ZWG';

/** Codes of ISO 4217 that are no longer in force. */
const withdrawn =
  'ADP AFA ALK ANG AOK AON AOR ARA ARP ARY ATS AYM AZM BAD BEC BEF BEL BGJ BGK BGL BGN BOP BRB BRC BRE BRN BRR BUK ' +
  'BYB BYR CHC CSD CSJ CSK CUC CYP DDM DEM ECS ECV EEK ESA ESB ESP FIM FRF GEK GHC GHP GNE GNS GQE GRD GWE GWP HRD ' +
  'HRK IEP ILP ILR ISJ ITL LAJ LSM LTL LTT LUC LUF LUL LVL LVR MGF MLF MRO MTL MTP MVQ MXP MZE MZM NIC NLG PEH PEI ' +
  'PES PLZ PTE RHD ROK ROL RUR SDD SDP SIT SKK SLL SRG STD SUR TJR TMM TPE TRL UAK UGS UGW USS UYN UYP VEB VEF VNC ' +
  'XEU XFO XFU XRE YDD YUD YUM YUN ZAL ZMK ZRN ZRZ ZWC ZWD ZWL ZWN ZWR';

/** The codes of ISO 4217 in force. */
export function currencyCodes(): readonly string[] {
  return current.split(' ');
}

/** What is wrong with a currency code, or `undefined`. A withdrawn code is accepted: see `currencyWarning`. */
export function currencyProblem(code: string): string | undefined {
  if (isIn(current, code) || isIn(withdrawn, code)) return undefined;
  const upper = code.trim().toUpperCase();
  return `${quote(code)} is not a currency code of ISO 4217${isIn(current, upper) ? `: write ${upper}` : ''}`;
}

/** A warning about a currency code, or `undefined`. */
export function currencyWarning(code: unknown): string | undefined {
  return typeof code === 'string' && isIn(withdrawn, code)
    ? `${code} is no longer a currency of ISO 4217.`
    : undefined;
}

function isIn(codes: string, code: string): boolean {
  return /^[A-Z]{3}$/.test(code) && codes.includes(code);
}
