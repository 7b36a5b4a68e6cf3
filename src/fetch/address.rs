//! Which addresses are not for strangers to name: the table of special networks, and the addresses embedded in others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of address it is, as far as downloads care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Anyone's: the public internet.
    Public,
    /// This machine.
    Loopback,
    /// A network that is not the public internet; the text says which.
    Special(&'static str),
}

/// IANA IPv4 Special-Purpose Address Registry (RFC 6890 and its updates): network, prefix length, what it is.
const V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::UNSPECIFIED, 8, "an address of \"this network\" (RFC 791)"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address (RFC 1918)"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a carrier's shared address (RFC 6598)"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local address (RFC 3927), where cloud metadata services live"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address (RFC 1918)"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a protocol assignment (RFC 6890)"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a documentation address (RFC 5737)"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a 6to4 relay (RFC 7526)"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address (RFC 1918)"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a benchmarking address (RFC 2544)"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "a documentation address (RFC 5737)"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a documentation address (RFC 5737)"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address (RFC 5771)"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved or broadcast address (RFC 1112)"),
];

/// IANA IPv6 Special-Purpose Address Registry. What embeds an IPv4 address is judged before by that address.
const V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "the unspecified address (RFC 4291)"),
    (Ipv6Addr::UNSPECIFIED, 96, "an IPv4-compatible address (RFC 4291)"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "a local translation address (RFC 8215)"),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, "a discard address (RFC 6666)"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a protocol assignment (RFC 2928)"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "a documentation address (RFC 3849)"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "a documentation address (RFC 9637)"),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16, "a segment routing identifier (RFC 9602)"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "a unique local address (RFC 4193)"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "a link-local address (RFC 4291)"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "a site-local address (RFC 3879)"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "a multicast address (RFC 4291)"),
];

/// The only block from which public IPv6 addresses are given out.
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// NAT64 with the well-known prefix (RFC 6052): on networks without IPv4 every IPv4 host has such an address.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// What kind of address this is.
pub(super) fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    if address.is_loopback() {
        return Reach::Loopback;
    }
    let found = V4.iter().find(|(network, length, _)| in_v4(address, *network, *length));
    found.map_or(Reach::Public, |(_, _, what)| Reach::Special(what))
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if address == Ipv6Addr::LOCALHOST {
        return Reach::Loopback;
    }
    if let Some(inside) = embedded(address) {
        return reach_v4(inside);
    }
    // Teredo (RFC 4380) tunnels to a host that its address names in disguise; nothing is published there.
    let found = V6.iter().find(|(network, length, _)| in_v6(address, *network, *length));
    match found {
        Some((_, _, what)) => Reach::Special(what),
        None if in_v6(address, GLOBAL_UNICAST.0, GLOBAL_UNICAST.1) => Reach::Public,
        None => Reach::Special("an address outside the public block 2000::/3 (RFC 4291)"),
    }
}

/// The IPv4 address that is meant by an IPv6 one: IPv4-mapped (`::ffff:a.b.c.d`), NAT64 (`64:ff9b::a.b.c.d`), 6to4
/// (`2002:aabb:ccdd::`).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., a, b, c, d] = address.octets();
    let last = Ipv4Addr::new(a, b, c, d);
    if let Some(mapped) = address.to_ipv4_mapped() {
        return Some(mapped);
    }
    if in_v6(address, NAT64.0, NAT64.1) {
        return Some(last);
    }
    let [0x20, 0x02, a, b, c, d, ..] = address.octets() else { return None };
    Some(Ipv4Addr::new(a, b, c, d))
}

fn in_v4(address: Ipv4Addr, network: Ipv4Addr, length: u32) -> bool {
    let mask = u32::MAX.checked_shl(32_u32.saturating_sub(length)).unwrap_or(0);
    address.to_bits() & mask == network.to_bits()
}

fn in_v6(address: Ipv6Addr, network: Ipv6Addr, length: u32) -> bool {
    let mask = u128::MAX.checked_shl(128_u32.saturating_sub(length)).unwrap_or(0);
    address.to_bits() & mask == network.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach_of(text: &str) -> Reach {
        reach(text.parse().unwrap())
    }

    #[test]
    fn what_is_not_the_public_internet_is_named() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::7f00:1",
            "::2",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:4136:e378::1",
            "2001:2::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:a00:1::",
            "2002:c0a8:1::1",
            "3fff::1",
            "5f00::1",
            "4000::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "1::1",
        ] {
            assert!(matches!(reach_of(address), Reach::Special(_)), "{address}: {:?}", reach_of(address));
        }
    }

    #[test]
    fn this_machine_is_named_however_it_is_written() {
        for address in [
            "127.0.0.1",
            "127.1.2.3",
            "127.255.255.255",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::127.0.0.1",
            "2002:7f00:1::",
        ] {
            assert_eq!(reach_of(address), Reach::Loopback, "{address}");
        }
    }

    #[test]
    fn the_public_internet_is_open() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860:4860::8888",
            "64:ff9b::8.8.8.8",
            "::ffff:8.8.8.8",
            "2002:808:808::1",
            "3ffe::1",
        ] {
            assert_eq!(reach_of(address), Reach::Public, "{address}");
        }
    }
}
