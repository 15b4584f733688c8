//! Names, and what is compiled in.

use warpfield::pipeline::interlock::{Error, Interlock, Strategy};

#[test]
fn names_are_read_as_printed() {
    let names: Vec<_> = Strategy::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["two", "none", "single"]);
    for strategy in Strategy::ALL {
        let parsed = strategy.to_string().parse::<Strategy>();
        let new = Interlock::new(strategy, 1).map(|interlock| interlock.strategy());
        if strategy.is_compiled() {
            assert_eq!((parsed, new.unwrap()), (Ok(strategy), strategy));
        } else {
            assert_eq!(parsed, Err(Error::NotCompiled(strategy)));
            assert_eq!(new.unwrap_err(), Error::NotCompiled(strategy));
        }
    }
}

/// Before an engine copies a key, or takes memory.
#[cfg(feature = "ptx")]
#[test]
fn engines_refuse_what_is_not_compiled_in() {
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng as _;
    use warpfield::circuit::{WitnessValues, synthetic};
    use warpfield::gpu::{Device, emulator};
    use warpfield::groth16::{Key, ToxicWaste, setup};
    use warpfield::pipeline::engine::{self, Engine, Options};

    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let (circuit, _) = synthetic(1, 0, WitnessValues::FullWidth, &mut rng);
    let key = setup(&circuit, &ToxicWaste::random(&mut rng).unwrap()).unwrap();
    let keys: [std::sync::Arc<dyn Key>; 1] = [std::sync::Arc::new(key.into_key().unwrap())];
    for strategy in Strategy::ALL {
        let device = Device::emulated(emulator::Config::default());
        let mut options = Options::default();
        options.strategy = strategy;
        let errors = [
            Engine::plan(&device, &keys, &options).err(),
            Engine::new(std::slice::from_ref(&device), &keys, &options).err(),
        ];
        let calls = device.as_emulated().unwrap().calls(emulator::Call::Alloc);
        for error in errors {
            let refused = |error| matches!(error, engine::Error::Interlock(Error::NotCompiled(it)) if it == strategy);
            assert_eq!(error.is_some_and(refused), !strategy.is_compiled());
        }
        assert_eq!(calls > 0, strategy.is_compiled());
    }
}

#[test]
fn features_are_what_compiles_them_in() {
    let features = [
        ("lock-two", cfg!(feature = "lock-two")),
        ("lock-none", cfg!(feature = "lock-none")),
        ("lock-single", cfg!(feature = "lock-single")),
    ];
    assert_eq!(
        Strategy::ALL.map(|strategy| (strategy.feature(), strategy.is_compiled())),
        features
    );
    let compiled: Vec<_> = Strategy::compiled().map(Strategy::feature).collect();
    let expected: Vec<_> = features.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    assert_eq!(compiled, expected);
}

#[test]
fn the_default_is_the_strongest() {
    assert_eq!(Strategy::default(), Strategy::compiled().next().unwrap_or(Strategy::Two));
    if cfg!(feature = "lock-two") {
        assert_eq!(Strategy::default(), Strategy::Two);
    }
}

#[test]
fn errors_tell_what_helps() {
    let unknown = "three".parse::<Strategy>().unwrap_err();
    assert_eq!(unknown, Error::Unknown("three".into()));
    assert_eq!(
        unknown.to_string(),
        "no lock strategy is named `three`; there are `two`, `none` and `single`"
    );
    assert_eq!(
        Error::NotCompiled(Strategy::Single).to_string(),
        "the lock strategy `single` is not compiled in; build with `--features lock-single`"
    );
    for other in ["", "Two", " two", "lock-two"] {
        assert_eq!(other.parse::<Strategy>(), Err(Error::Unknown(other.into())));
    }
}

#[test]
fn single_copies_in_the_compute_section() {
    assert_eq!(Strategy::ALL.map(Strategy::stages_in_prep), [true, true, false]);
}
