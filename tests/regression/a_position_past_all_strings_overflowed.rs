//! Where a `str_ins` ends was added up without a look at how far out it was meant.

use patchwire::Patch;

#[test]
fn a_patch_that_fits_nothing_can_be_compacted() {
    let patch = Patch::parse(r#"[{"op":"str_ins","path":"/t","pos":1e300,"str":"yz"}]"#).unwrap();
    assert!(Patch::compact(&[patch.clone(), patch]).len() <= 2);
}
